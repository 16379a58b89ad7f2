import { randomBytes } from 'node:crypto';
import type { RawCall } from '../web-api/read-arguments.ts';
import { invalidArguments, SlackError } from '../web-api/slack-error.ts';
import { BOT_SCOPES, type FakeApp, type Installation } from '../world/fake-app.ts';
import type { FakeUser } from '../world/fake-user.ts';
import type { FakeWorkspace } from '../world/fake-workspace.ts';

/** Who sits at the consent page, and what they do. */
export interface Visitor {
  readonly user: FakeUser;
  readonly workspace: FakeWorkspace;
  /** Installs the app in the whole organization. */
  readonly isOrgWide?: boolean;
  readonly refuses?: boolean;
}

interface Code {
  readonly app: FakeApp;
  readonly visitor: Visitor;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  isUsed: boolean;
}

const CODE_LIFETIME_MS = 600_000;
const TOKEN_LIFETIME_S = 43_200;
const ARGUMENTS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'grant_type',
  'refresh_token',
]);

/** Installing apps by OAuth (https://docs.slack.dev/authentication/installing-with-oauth). */
export class Authorization {
  readonly #apps: () => Iterable<FakeApp>;
  readonly #codes = new Map<string, Code>();
  /** At the consent page from now on; null: no one, so the page stays. */
  visitor: Visitor | null = null;

  constructor(apps: () => Iterable<FakeApp>) {
    this.#apps = apps;
  }

  /** Returns where the consent page sends its visitor. Throws a SlackError where it shows an error instead. */
  decide(query: URLSearchParams): URL {
    const app = this.#app(query.get('client_id') ?? '');
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!app.redirectUrls.has(redirectUri)) throw new SlackError('bad_redirect_uri');
    const scopes = (query.get('scope') ?? '').split(',');
    if (scopes.some((scope) => !BOT_SCOPES.some((known) => known === scope)))
      throw new SlackError('invalid_scope');
    if (this.visitor === null) throw new SlackError('not_authed');
    const back = new URL(redirectUri);
    if (this.visitor.refuses) back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', this.#code({ app, visitor: this.visitor, redirectUri, scopes }));
    back.searchParams.set('state', query.get('state') ?? '');
    return back;
  }

  /** `oauth.v2.access`. Returns the answer without `ok`. */
  access({ basic, values }: RawCall): Readonly<Record<string, unknown>> {
    for (const name of values.keys())
      if (!ARGUMENTS.has(name)) throw invalidArguments(`unexpected argument: ${name}`);
    const text = (name: string) => `${values.get(name) ?? ''}`;
    const app = this.#app(basic?.id ?? text('client_id'));
    if ((basic?.secret ?? text('client_secret')) !== app.clientSecret)
      throw new SlackError('bad_client_secret');
    if (text('grant_type') === 'refresh_token') return answerOf(refreshed(app, text('refresh_token')));
    const { visitor, scopes } = this.#taken(app, text('code'), text('redirect_uri'));
    return answerOf(installed(app, visitor, scopes), visitor);
  }

  #app(clientId: string): FakeApp {
    const app = [...this.#apps()].find((each) => each.clientId === clientId);
    if (!app) throw new SlackError('invalid_client_id');
    return app;
  }

  #code(code: Omit<Code, 'expiresAtMs' | 'isUsed'>): string {
    const text = `${randomBytes(8).readUInt32BE()}.${randomBytes(32).toString('hex')}`;
    this.#codes.set(text, { ...code, expiresAtMs: Date.now() + CODE_LIFETIME_MS, isUsed: false });
    return text;
  }

  #taken(app: FakeApp, text: string, redirectUri: string): Code {
    const code = this.#codes.get(text);
    if (!code || code.app !== app || code.expiresAtMs < Date.now()) throw new SlackError('invalid_code');
    if (code.isUsed) throw new SlackError('code_already_used');
    if (code.redirectUri !== redirectUri) throw new SlackError('bad_redirect_uri');
    code.isUsed = true;
    return code;
  }
}

/** Installing again gives the same bot, and the same token unless the app rotates its tokens. */
function installed(app: FakeApp, visitor: Visitor, scopes: readonly string[]): Installation {
  const { workspace } = visitor;
  const isOrgWide = visitor.isOrgWide === true;
  const known = app.installations.find(
    (each) => each.workspace === workspace && each.isOrgWide === isOrgWide && each.deadAs === null,
  );
  const installation = known ?? app.install(workspace, scopes, isOrgWide);
  if (app.rotatesTokens) installation.rotate(TOKEN_LIFETIME_S);
  return installation;
}

function refreshed(app: FakeApp, refreshToken: string): Installation {
  const installation = app.installations.find((each) => each.refreshToken === refreshToken);
  if (refreshToken === '' || !installation || installation.deadAs !== null)
    throw new SlackError('invalid_refresh_token');
  installation.rotate(TOKEN_LIFETIME_S);
  return installation;
}

function answerOf(installation: Installation, visitor?: Visitor): Readonly<Record<string, unknown>> {
  const { app, workspace, bot, token, refreshToken, scopes, isOrgWide } = installation;
  const { enterprise } = workspace;
  return {
    app_id: app.id,
    ...(visitor === undefined ? {} : { authed_user: { id: visitor.user.id } }),
    scope: [...scopes].join(','),
    token_type: 'bot',
    access_token: token,
    bot_user_id: bot.id,
    team: isOrgWide ? null : { id: workspace.id, name: workspace.name },
    enterprise: enterprise && { id: enterprise.id, name: enterprise.name },
    is_enterprise_install: isOrgWide,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken, expires_in: TOKEN_LIFETIME_S }),
  };
}
