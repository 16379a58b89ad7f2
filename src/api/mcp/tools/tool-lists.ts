import type { Tool } from '@modelcontextprotocol/server';
import { assert } from '../../../base/assert.ts';
import { goOn } from '../../../base/now-or-later.ts';
import { reaches } from '../../../base/scope.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Account } from '../../schema/account.ts';
import type { McpTool, ToolContext } from './mcp-tool.ts';
import { availabilityOf } from './tool-availability.ts';

/** Answers `tools/list`: every tool, with its current availability for the caller's account. */
export class ToolLists {
  readonly #plain: readonly Tool[];
  readonly #account: McpTool;
  /** Lists by account. An unchanged account is always the same object. */
  readonly #known = new WeakMap<object, readonly Tool[]>();

  constructor(tools: ReadonlyMap<string, McpTool>) {
    this.#plain = Array.from(tools.values(), ({ description }) => description);
    const account = tools.get('svc_account');
    assert(account, 'the tool svc_account exists');
    this.#account = account;
  }

  of(principal: Principal): readonly Tool[] | Promise<readonly Tool[]> {
    return goOn(this.#account.call(contextOf(principal), {}), ({ structuredContent: account }) =>
      // If the account cannot be read, no tool works, and each call returns the reason.
      account === undefined ? this.#plain : this.#listFor(account as Account, principal),
    );
  }

  #listFor(account: Account, principal: Principal): readonly Tool[] {
    const former = this.#known.get(account);
    if (former !== undefined) return former;
    const availability = availabilityOf(account, reaches(principal, 'agent'));
    const list = this.#plain.map((tool) => {
      const now = availability.get(tool.name) ?? '';
      return now === '' ? tool : { ...tool, description: `${tool.description} ${now}` };
    });
    this.#known.set(account, list);
    return list;
  }
}

function contextOf(principal: Principal): ToolContext {
  const { signal } = new AbortController();
  return { principal, requestId: '', isStateful: false, signal, progress() {} };
}
