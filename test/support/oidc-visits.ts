/// <reference path="./oidc-provider.d.ts" />
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

/** A request to a provider, as its middleware sees it. */
interface ProviderContext {
  readonly path: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Who visits a provider, and whether that person denies consent. */
interface Visit {
  readonly accountId: string;
  readonly refuses: boolean;
}

/** Middleware of a provider: where people would sign in and agree, the visitor has done so at once, or refused. */
export async function endVisit(
  provider: Provider,
  { path, req, res }: ProviderContext,
  next: () => Promise<unknown>,
  { accountId, refuses }: Visit,
): Promise<void> {
  if (!path.startsWith('/interaction/')) {
    await next();
    return;
  }
  const result = refuses
    ? { error: 'access_denied', error_description: 'said no' }
    : { login: { accountId } };
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
}

/** Makes a provider without its warnings that it is for tests only. */
export function quietly(make: () => Provider): Provider {
  const { info, warn } = console;
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  try {
    return make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
