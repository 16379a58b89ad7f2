import { randomBytes } from 'node:crypto';
import { jsonAnswer, type NcAnswer } from '../http/nc-answer.ts';
import type { NcRequest } from '../http/nc-request.ts';
import type { PhpSession } from '../http/php-sessions.ts';
import { escaped, hidden, pageAnswer, redirect } from '../http/web-page.ts';
import { checkRequestToken, loggedIn } from '../pages/login-page.ts';
import type { FakeAddon } from './fake-addon.ts';

export type FinishError =
  | 'missing_params'
  | 'state_missing'
  | 'state_mismatch'
  | 'state_expired'
  | 'admin_mismatch'
  | 'unsafe_urls'
  | 'bot_creation_failed';

interface PendingState {
  readonly state: string;
  readonly adminUid: string;
  /** Unix time, in seconds. */
  readonly expires: number;
}

const STATE_LIFETIME_S = 600;

/** What browsers see of the addon: the way to the gateway and back, and the page to agree on. */
export class AddonPages {
  /** There is one for the whole Nextcloud. */
  pending: PendingState | null = null;
  readonly #addon: FakeAddon;
  readonly #origin: () => string;
  readonly #now: () => number;

  constructor(
    addon: FakeAddon,
    { origin, now }: { readonly origin: () => string; readonly now: () => number },
  ) {
    this.#addon = addon;
    this.#origin = origin;
    this.#now = now;
  }

  /** Null: there is no such page in this version. */
  answer(path: string, request: NcRequest, session: PhpSession): NcAnswer | Promise<NcAnswer> | null {
    const isPairingFromHere = this.#addon.version === '2.5' || this.#addon.version === '3.0';
    if (path === 'connect-start' && isPairingFromHere) return this.#start(request, session);
    if (path === 'authorize/finish' && isPairingFromHere) return this.#finish(request, session);
    if (path === 'authorize')
      return request.method === 'POST' ? this.#agreed(request, session) : this.#ask(request, session);
    if (path === 'settings') return jsonAnswer(200, { status: 'ok' });
    return null;
  }

  #start(request: NcRequest, session: PhpSession): NcAnswer {
    const user = loggedIn(request, session);
    if (!user.isAdmin) return jsonAnswer(403, { error: 'Admin required' });
    const origin = originOf(request);
    const state = randomBytes(16).toString('hex');
    this.pending = { state, adminUid: user.uid, expires: this.#now() + STATE_LIFETIME_S };
    const query = new URLSearchParams({ nc_state: state, nc_url: this.#origin(), origin });
    return redirect(`${this.#addon.gatewayUrl.replace(/\/$/, '')}/connect/nctalk?${query}`);
  }

  async #finish(request: NcRequest, session: PhpSession): Promise<NcAnswer> {
    const user = loggedIn(request, session);
    if (!user.isAdmin) return jsonAnswer(403, { error: 'Admin required' });
    const origin = originOf(request);
    const error = await this.#finished(request.query, user.uid);
    const query = error === null ? 'connected' : 'error';
    if (origin === 'dashboard') {
      const value = error === null ? 'nctalk' : `nctalk_${error}`;
      return redirect(`${this.#addon.gatewayUrl.replace(/\/$/, '')}/dashboard/platforms?${query}=${value}`);
    }
    return redirect(`${this.#origin()}/settings/admin/talk?${query}=${error ?? '1'}`);
  }

  async #finished(query: URLSearchParams, uid: string): Promise<FinishError | null> {
    const [state, ncState, callbackUrl, backendUrl] = [
      'state',
      'nc_state',
      'callback_url',
      'backend_url',
    ].map((name) => query.get(name) ?? '');
    if (!state || !ncState || !callbackUrl || !backendUrl) return 'missing_params';
    const { pending } = this;
    if (!pending) return 'state_missing';
    if (pending.state !== ncState) return 'state_mismatch';
    if (this.#now() > pending.expires) {
      this.pending = null;
      return 'state_expired';
    }
    if (pending.adminUid !== uid) return 'admin_mismatch';
    this.pending = null;
    if (!areOfOneHost(callbackUrl, backendUrl)) return 'unsafe_urls';
    this.#addon.backendUrl = backendUrl.replace(/\/$/, '');
    this.#addon.callbackUrl = callbackUrl;
    const bot = await this.#addon.approve({ callbackUrl, state, owner: uid });
    return bot ? null : 'bot_creation_failed';
  }

  /** The page of the older way, which starts at the gateway: any user agrees. */
  #ask(request: NcRequest, session: PhpSession): NcAnswer {
    loggedIn(request, session);
    const asked = (name: string) => request.query.get(name) ?? '';
    const callbackUrl = asked('callback_url') || this.#addon.callbackUrl;
    if (callbackUrl === '')
      return jsonAnswer(400, { error: 'No callback URL configured — admin must pair first' });
    const backendUrl = asked('backend_url');
    const isFirst = this.#addon.callbackUrl === '' && backendUrl !== '';
    if (isFirst && areOfOneHost(callbackUrl, backendUrl)) this.#addon.callbackUrl = callbackUrl;
    if (this.#addon.backendUrl === '' && backendUrl !== '' && areOfOneHost(callbackUrl, backendUrl))
      this.#addon.backendUrl = backendUrl;
    const agentName = asked('agent_name') || 'AI Agent';
    return pageAnswer(
      `Authorize ${agentName}`,
      `<p><strong>${escaped(agentName)}</strong> wants to connect to your Nextcloud Talk.</p>
<p>A bot account will be created to join Talk conversations.</p>
<form method="post" action="/apps/${this.#addon.appId}/authorize">
${hidden({
  requesttoken: session.requestToken,
  callback_url: callbackUrl,
  state: asked('state'),
  agent_name: agentName,
})}
<button type="submit">Authorize</button>
</form>`,
    );
  }

  async #agreed(request: NcRequest, session: PhpSession): Promise<NcAnswer> {
    const user = loggedIn(request, session);
    const form = new URLSearchParams(request.body.toString('utf8'));
    checkRequestToken(form, session);
    const callbackUrl = form.get('callback_url') || this.#addon.callbackUrl;
    const state = form.get('state') ?? '';
    if (callbackUrl === '' || state === '')
      return jsonAnswer(400, { error: 'callback_url not configured or state missing' });
    const bot = await this.#addon.approve({ callbackUrl, state, owner: user.uid });
    if (!bot) return jsonAnswer(502, { error: 'Callback to external service failed' });
    // The addon leaves the port out, so that a gateway with a port of its own is missed.
    const { protocol, hostname } = new URL(callbackUrl);
    return redirect(`${protocol}//${hostname}/dashboard?nctalk=connected`);
  }
}

function originOf({ query }: NcRequest): 'dashboard' | 'nc_admin' {
  return query.get('origin') === 'dashboard' ? 'dashboard' : 'nc_admin';
}

/** Whether two URLs have the same scheme and host, whatever their ports. */
function areOfOneHost(one: string, other: string): boolean {
  const [a, b] = [one, other].map((each) => (URL.canParse(each) ? new URL(each) : null));
  if (!a || !b || !/^https?:$/.test(a.protocol)) return false;
  return a.protocol === b.protocol && a.hostname !== '' && a.hostname === b.hostname;
}
