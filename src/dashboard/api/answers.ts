import type * as z from 'zod';
import type * as accountRest from '../../api/rest/account.ts';
import type * as agentProbe from '../../api/rest/agent-probe.ts';
import type * as bots from '../../api/rest/bots.ts';
import type * as operator from '../../api/rest/operator.ts';
import type * as platforms from '../../api/rest/platforms.ts';
import type * as account from '../../api/schema/account.ts';
import type * as agent from '../../api/schema/agent.ts';
import type * as agentPolicy from '../../api/schema/agent-policy.ts';
import type * as agentProvider from '../../api/schema/agent-provider.ts';
import type * as apiKey from '../../api/schema/api-key.ts';
import type * as auth from '../../api/schema/auth.ts';
import type * as authorization from '../../api/schema/authorization.ts';
import type * as call from '../../api/schema/call.ts';
import type * as connection from '../../api/schema/connection.ts';
import type * as delivery from '../../api/schema/delivery.ts';
import type * as identities from '../../api/schema/identities.ts';
import type * as inbox from '../../api/schema/inbox.ts';
import type * as sip from '../../api/schema/sip.ts';
import type * as voiceConfig from '../../api/schema/voice-config.ts';

type Out<Schema extends z.ZodType> = z.output<Schema>;

/** What the endpoints that the dashboard uses answer, by the schemas of the gateway itself. */
export interface Answers {
  'GET /auth/options': Out<typeof auth.SignInOptions>;
  'GET /auth/identities': Out<typeof identities.IdentityList>;

  'GET /api/account': Out<typeof account.Account>;
  'GET /api/audit-log': Out<typeof accountRest.AuditLog>;
  'GET /api/operator': Out<typeof operator.OperatorView>;
  'GET /api/usage': Out<typeof accountRest.Usage>;

  'GET /api/calls': Out<typeof call.CallList>;
  'GET /api/calls/history/{call_id}': Out<typeof call.PastCallStatus>;
  'POST /api/call': Out<typeof call.CreatedCall>;
  'GET /api/call/{call_id}': Out<typeof call.CallStatus>;
  'GET /api/call/{call_id}/audio': Out<typeof call.CallAudio>;

  'GET /api/inbox': Out<typeof inbox.Inbox>;
  'GET /api/inbox/{conversation_id}': Out<typeof inbox.ConversationHistory>;

  'GET /api/platforms': Out<typeof platforms.PlatformList>;
  'POST /api/platforms/{platform}/owner/code': { readonly code: string; readonly expires_at: string };
  'POST /api/oauth/start/{provider}': Out<typeof connection.OAuthStarted>;
  'POST /api/invite-link': Out<typeof bots.InviteLink>;
  'POST /api/{platform}/connect': {
    readonly deep_link: string;
    readonly code: string | null;
    readonly expires_at: string | null;
  };
  'POST /api/nctalk/talk-bots': Out<typeof connection.InstalledBot>;
  'POST /api/oauth/teams-admin-consent/start': Out<typeof connection.OAuthStarted>;
  'GET /api/sip/trunk': Out<typeof sip.SipTrunk>;
  'GET /api/sip/dids': Out<typeof sip.SipDidList>;

  'GET /api/agents': Out<typeof agent.AgentList>;
  'GET /api/agents/_candidates': Out<typeof agent.CandidateList>;
  'POST /api/agents': Out<typeof agent.Agent>;
  'GET /api/agents/providers': Out<typeof agentProvider.ProviderCatalog>;
  'GET /api/agents/{agent_id}/policy': Out<typeof agentPolicy.AgentPolicy>;
  'GET /api/agents/{agent_id}/provider': Out<typeof agentProvider.Provider>;
  'POST /api/agents/{agent_id}/provider/browse': Out<typeof agentProvider.ProviderChoices>;
  'POST /api/agents/{agent_id}/test?wait=55': Out<typeof delivery.NewDelivery>;
  'GET /api/agents/{agent_id}/deliveries': Out<typeof delivery.DeliveryList>;
  'GET /api/agent-deliveries/{id}': Out<typeof delivery.DeliveryDetail>;

  'GET /api/voice-configs': Out<typeof voiceConfig.VoiceConfigList>;
  'GET /api/voice-configs/schema': Out<typeof voiceConfig.VoiceConfigSchema>;
  'POST /api/providers/{name}/voices': Out<typeof voiceConfig.VoiceList>;

  'GET /api/api-keys': Out<typeof apiKey.KeyList>;
  'POST /api/api-keys': Out<typeof apiKey.CreatedKey>;
  'GET /api/settings-keys': Out<typeof apiKey.KeyList>;
  'POST /api/settings-keys': Out<typeof apiKey.CreatedKey>;
  'POST /api/keys/test-agent/start': Out<typeof agentProbe.AgentProbe>;
  'GET /api/keys/test-agent/status': Out<typeof agentProbe.AgentProbe>;
  'GET /api/mcp-authorizations': Out<typeof authorization.McpAuthorizationList>;

  'GET /openapi.json': object;
  'GET /readyz': {
    readonly status: string;
    readonly not_ready?: readonly { name: string; reason: string }[];
  };
}

/** Answers that nobody reads have no schema here; a test compares all names with the gateway's routes. */
export type Endpoint = keyof Answers | `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
export type AnswerOf<E> = E extends keyof Answers ? Answers[E] : unknown;
export type Reading = Extract<keyof Answers, `GET ${string}`>;

/** What several pages show, out of the answers that have it. */
export type Agent = Answers['GET /api/agents']['agents'][number];
export type Call = Answers['GET /api/calls']['calls'][number];
export type Conversation = Answers['GET /api/inbox']['conversations'][number];
export type Platform = Answers['GET /api/platforms']['platforms'][number];
export type Preset = Answers['GET /api/voice-configs']['voice_configs'][number];
export type SpeechKind = Preset['kind'];
