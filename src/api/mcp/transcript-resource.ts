import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { GatewayError } from '../../base/errors.ts';
import type { AgentScope } from '../../base/scope.ts';
import { type CallDomain, getCall, listCalls, sees, transcriptOf } from '../../calls/call-domain.ts';
import type { CallListener } from '../../calls/call-registry.ts';
import { lineText } from '../rest/call-wire.ts';

const MIME_TYPE = 'text/plain';
const URI = /^svc:\/\/calls\/([^/]+)\/transcript$/;

const TEMPLATE: ResourceTemplateType = {
  uriTemplate: 'svc://calls/{call_id}/transcript',
  name: 'call_transcript',
  title: 'Transcript of a call',
  description:
    'Everything said on a call so far, one line `[<speaker>] <text>` per utterance. Empty unless hosted speech recognition runs.',
  mimeType: MIME_TYPE,
};

/** Call transcripts as resources. A scope sees only its own calls. */
export class TranscriptResource {
  readonly templates: readonly ResourceTemplateType[] = [TEMPLATE];
  readonly #calls: CallDomain;

  constructor(calls: CallDomain) {
    this.#calls = calls;
  }

  /** Lists the transcripts of live calls. */
  list(scope: AgentScope): Resource[] {
    return listCalls(this.#calls, scope).map(({ callId, platform, direction, caller, meetingUrl }) => ({
      uri: uriOf(callId),
      name: `transcript of ${callId}`,
      title: `Transcript: ${platform} call ${direction === 'inbound' ? `from ${caller}` : `to ${meetingUrl}`}`,
      mimeType: MIME_TYPE,
    }));
  }

  /** Throws `call_not_found`. */
  async read(scope: AgentScope, uri: string): Promise<ReadResourceResult> {
    const callId = URI.exec(uri)?.[1];
    if (callId === undefined) throw new GatewayError('call_not_found');
    await getCall(this.#calls, scope, callId);
    const { lines } = await transcriptOf(this.#calls, callId, 0);
    return { contents: [{ uri, mimeType: MIME_TYPE, text: lines.map(lineText).join('\n') }] };
  }

  /** Reports every transcript of the scope that gets a new line, until the returned function is called. */
  watch(scope: AgentScope, listener: (uri: string) => void): () => void {
    return this.#follow(scope, (call, news) => {
      if (news === 'transcribed') listener(uriOf(call.callId));
    });
  }

  /** Reports every change of the list, until the returned function is called. */
  watchList(scope: AgentScope, listener: () => void): () => void {
    return this.#follow(scope, (_call, news) => {
      if (news !== 'transcribed') listener();
    });
  }

  #follow(scope: AgentScope, listener: CallListener): () => void {
    return this.#calls.registry.followers.follow(scope.accountId, (call, news) => {
      if (sees(scope, call)) listener(call, news);
    });
  }
}

function uriOf(callId: string): string {
  return `svc://calls/${callId}/transcript`;
}
