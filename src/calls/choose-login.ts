import { GatewayError } from '../base/errors.ts';
import { noLoginText, type Platform } from '../base/platform.ts';
import type { AgentScope } from '../base/scope.ts';
import type { CallLogin, Connector, PlacesCalls } from '../connectors/contract/connector.ts';
import type { StoredAgentLogin } from '../store/logins/agent-logins.ts';

/** The logins of agents, for placing calls. */
export interface AgentLogins {
  /** The bots and connections of these agents at a platform, in the order of the agents. */
  ofAgents(scope: AgentScope, platform: Platform): Promise<readonly StoredAgentLogin[]>;
  /** Whether the account has a login at a platform, even one without a connector. */
  hasAny(accountId: string, platform: Platform): Promise<boolean>;
}

/** The login that places a call, and the agent for which it does. */
export interface ChosenLogin {
  readonly login: CallLogin;
  readonly agentId: string;
}

/** A login that a client can choose by its id. */
interface Choice extends ChosenLogin {
  readonly id: string;
  readonly label: string;
}

interface LoginQuestion {
  readonly connector: Connector;
  readonly calls: PlacesCalls;
  readonly scope: AgentScope;
  /** Null: the only one that fits. */
  readonly loginId: string | null;
  readonly target: string;
}

/** Most logins that an error names, and the most characters of each label. */
const MAX_NAMED = 10;
const MAX_LABEL = 80;

/**
 * Chooses the login for a call: the one with the given id, else the agent's only own one, else the shared login or the
 * trunk. The first agent of the scope that has the login places the call. Any id that is not among these logins gets
 * the same answer, also one of another account.
 * @throws GatewayError `login_ambiguous`, `login_not_found`, `platform_not_configured`, `meeting_url_required`
 */
export async function chooseLogin(logins: AgentLogins, question: LoginQuestion): Promise<ChosenLogin> {
  const { connector, calls, scope, loginId, target } = question;
  const [agentId] = scope.agentIds;
  if (agentId === undefined) throw new GatewayError('forbidden', 'This key acts for no agent');
  const own = await ownChoices(logins, question);
  const others = otherChoices(connector, calls, agentId);
  if (loginId !== null) {
    const chosen = [...own, ...others].find(({ id }) => id === loginId);
    if (chosen === undefined) throw new GatewayError('login_not_found');
    return chosen;
  }
  const fitting = own.length > 0 ? own : others;
  const [only, another] = reaching(calls, fitting, target);
  if (another !== undefined) throw ambiguous(connector.platform, fitting);
  if (only !== undefined) return only;
  // Without a URL, no login but a connection would do (specification, "Errors"). Calls by a trunk lack the trunk first.
  if (target === '' && calls.loginKinds.some((kind) => kind !== 'trunk'))
    throw new GatewayError('meeting_url_required');
  throw new GatewayError('platform_not_configured', noLoginText(connector.platform));
}

/** Those that may lead to the target; all of them when none does, so that the platform says what is wrong with it. */
function reaching(calls: PlacesCalls, choices: readonly Choice[], target: string): readonly Choice[] {
  const some = choices.filter(({ login }) => calls.reaches?.(login, target) ?? true);
  return some.length > 0 ? some : choices;
}

async function ownChoices(
  logins: AgentLogins,
  { connector, calls: { loginKinds }, scope }: LoginQuestion,
): Promise<Choice[]> {
  if (!loginKinds.includes('bot_token') && !loginKinds.includes('connection')) return [];
  const choices = new Map<string, Choice>();
  for (const { kind, id, label, agentId } of await logins.ofAgents(scope, connector.platform))
    if (loginKinds.includes(kind) && !choices.has(id))
      choices.set(id, { login: { kind, id }, id, label, agentId });
  return [...choices.values()];
}

/** The logins without a row of their own are chosen by their kind. */
function otherChoices({ provides }: Connector, { loginKinds }: PlacesCalls, agentId: string): Choice[] {
  const choices: Choice[] = [];
  if (loginKinds.includes('trunk'))
    choices.push({ login: { kind: 'trunk' }, id: 'trunk', label: 'SIP trunk', agentId });
  const shared = loginKinds.includes('shared') ? (provides.sharedLogin?.sharedLogin() ?? null) : null;
  if (shared !== null)
    choices.push({
      login: { kind: 'shared' },
      id: 'shared',
      label: shared.name ?? 'the shared login',
      agentId,
    });
  return choices;
}

function ambiguous(platform: Platform, fitting: readonly Choice[]): GatewayError {
  const named = fitting.slice(0, MAX_NAMED).map(({ id, label }) => `${id} (${label.slice(0, MAX_LABEL)})`);
  const more = fitting.length > MAX_NAMED ? ` and ${fitting.length - MAX_NAMED} more` : '';
  const detail = `Several ${platform} logins can place this call; choose one with login_id: ${named.join(', ')}${more}`;
  return new GatewayError('login_ambiguous', detail);
}
