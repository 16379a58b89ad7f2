/** The parts of the npm package `oidc-provider` that the identity provider uses; it ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Context {
    readonly path: string;
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly oidc: { readonly session?: { readonly accountId?: string } };
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface AccessToken {
    readonly accountId: string;
    readonly scope?: string;
  }

  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        readonly findAccount: (
          context: Context,
          subject: string,
        ) =>
          | { readonly accountId: string; readonly claims: () => Readonly<Record<string, unknown>> }
          | undefined;
        readonly loadExistingGrant: (context: Context) => Promise<Grant>;
        readonly interactions: { readonly url: (context: Context, interaction: { uid: string }) => string };
        readonly [option: string]: unknown;
      },
    );
    readonly Grant: new (of: {
      readonly clientId: string;
      readonly accountId: string;
    }) => Grant;
    readonly AccessToken: {
      /** Undefined: there is no such token, or it is over. */
      find(token: string): Promise<AccessToken | undefined>;
      /** Deletes all tokens of a grant, refresh tokens too. */
      revokeByGrantId(grantId: string): Promise<void>;
    };
    use(middleware: (context: Context, next: () => Promise<unknown>) => Promise<unknown>): void;
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
