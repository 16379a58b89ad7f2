import type * as z from 'zod';
import type { AuditLog, Usage } from '../../api/rest/account.ts';
import type { AgentProbe } from '../../api/rest/agent-probe.ts';
import type { InviteLink } from '../../api/rest/bots.ts';
import type { OperatorView } from '../../api/rest/operator.ts';
import type { PlatformList } from '../../api/rest/platforms.ts';
import type { Account } from '../../api/schema/account.ts';
import type { AgentList, Agent as AgentSchema, CandidateList } from '../../api/schema/agent.ts';
import type { AgentPolicy } from '../../api/schema/agent-policy.ts';
import type { Provider, ProviderCatalog, ProviderChoices } from '../../api/schema/agent-provider.ts';
import type { CreatedKey, KeyList } from '../../api/schema/api-key.ts';
import type { SignedIn, SignInOptions } from '../../api/schema/auth.ts';
import type { McpAuthorizationList } from '../../api/schema/authorization.ts';
import type { BotToken, BotTokenList } from '../../api/schema/bot-token.ts';
import type {
  CallAudio,
  CallList,
  Call as CallSchema,
  CallStatus,
  CreatedCall,
  PastCallStatus,
} from '../../api/schema/call.ts';
import type { InstalledBot, OAuthStarted } from '../../api/schema/connection.ts';
import type { DeliveryDetail, DeliveryList, NewDelivery } from '../../api/schema/delivery.ts';
import type { DeliveredDm, QueuedDm } from '../../api/schema/dm.ts';
import type { IdentityList } from '../../api/schema/identities.ts';
import type { ConversationHistory, Inbox } from '../../api/schema/inbox.ts';
import type { SipDid, SipDidList, SipTrunk } from '../../api/schema/sip.ts';
import type {
  VoiceConfig,
  VoiceConfigList,
  VoiceConfigSchema,
  VoiceList,
} from '../../api/schema/voice-config.ts';

/** What the endpoints that the dashboard uses answer, by the schemas of the gateway itself. */
export interface Answers {
  'GET /auth/options': z.output<typeof SignInOptions>;
  'POST /auth/setup': z.output<typeof SignedIn>;
  'POST /auth/login': z.output<typeof SignedIn>;
  'GET /auth/identities': z.output<typeof IdentityList>;

  'GET /api/account': z.output<typeof Account>;
  'GET /api/audit-log': z.output<typeof AuditLog>;
  'GET /api/operator': z.output<typeof OperatorView>;
  'GET /api/usage': z.output<typeof Usage>;

  'GET /api/calls': z.output<typeof CallList>;
  'GET /api/calls/history/{call_id}': z.output<typeof PastCallStatus>;
  'POST /api/call': z.output<typeof CreatedCall>;
  'GET /api/call/{call_id}': z.output<typeof CallStatus>;
  'DELETE /api/call/{call_id}': z.output<typeof CallSchema>;
  'GET /api/call/{call_id}/audio': z.output<typeof CallAudio>;
  'POST /api/call/{call_id}/accept': z.output<typeof CallSchema>;
  'POST /api/call/{call_id}/refuse': z.output<typeof CallSchema>;

  'GET /api/inbox': z.output<typeof Inbox>;
  'GET /api/inbox/{conversation_id}': z.output<typeof ConversationHistory>;
  'POST /api/dm/chat': z.output<typeof DeliveredDm> | z.output<typeof QueuedDm>;

  'GET /api/platforms': z.output<typeof PlatformList>;
  'POST /api/platforms/{platform}/owner/code': { readonly code: string; readonly expires_at: string };
  'POST /api/oauth/start/{provider}': z.output<typeof OAuthStarted>;
  'GET /api/bot-tokens': z.output<typeof BotTokenList>;
  'POST /api/bot-tokens': z.output<typeof BotToken>;
  'POST /api/invite-link': z.output<typeof InviteLink>;
  'POST /api/{platform}/connect': DeepLink;
  'POST /api/nctalk/talk-bots': z.output<typeof InstalledBot>;
  'POST /api/oauth/teams-admin-consent/start': z.output<typeof OAuthStarted>;
  'GET /api/sip/trunk': z.output<typeof SipTrunk>;
  'PUT /api/sip/trunk': z.output<typeof SipTrunk>;
  'GET /api/sip/dids': z.output<typeof SipDidList>;
  'POST /api/sip/dids': z.output<typeof SipDid>;
  'PATCH /api/sip/dids/{did_id}': z.output<typeof SipDid>;

  'GET /api/agents': z.output<typeof AgentList>;
  'GET /api/agents/_candidates': z.output<typeof CandidateList>;
  'POST /api/agents': z.output<typeof AgentSchema>;
  'PATCH /api/agents/{agent_id}': z.output<typeof AgentSchema>;
  'POST /api/agents/{agent_id}/set-default': z.output<typeof AgentSchema>;
  'POST /api/agents/{agent_id}/keys': z.output<typeof CreatedKey>;
  'POST /api/agents/{agent_id}/keys/{key_id}': z.output<typeof AgentSchema>;
  'DELETE /api/agents/{agent_id}/keys/{key_id}': z.output<typeof AgentSchema>;
  'POST /api/agents/{agent_id}/accounts': z.output<typeof AgentSchema>;
  'DELETE /api/agents/{agent_id}/accounts/{account_type}/{account_id}': z.output<typeof AgentSchema>;
  'GET /api/agents/providers': z.output<typeof ProviderCatalog>;
  'GET /api/agents/{agent_id}/policy': z.output<typeof AgentPolicy>;
  'PATCH /api/agents/{agent_id}/policy': z.output<typeof AgentPolicy>;
  'GET /api/agents/{agent_id}/provider': z.output<typeof Provider>;
  'PATCH /api/agents/{agent_id}/provider': z.output<typeof Provider>;
  'POST /api/agents/{agent_id}/provider/browse': z.output<typeof ProviderChoices>;
  'POST /api/agents/{agent_id}/test': z.output<typeof NewDelivery>;
  'GET /api/agents/{agent_id}/deliveries': z.output<typeof DeliveryList>;
  'GET /api/agent-deliveries/{id}': z.output<typeof DeliveryDetail>;
  'POST /api/agent-deliveries/{id}/replay': z.output<typeof NewDelivery>;

  'GET /api/voice-configs': z.output<typeof VoiceConfigList>;
  'GET /api/voice-configs/schema': z.output<typeof VoiceConfigSchema>;
  'POST /api/voice-configs': z.output<typeof VoiceConfig>;
  'PATCH /api/voice-configs/{id}': z.output<typeof VoiceConfig>;
  'POST /api/providers/{name}/voices': z.output<typeof VoiceList>;

  'GET /api/api-keys': z.output<typeof KeyList>;
  'POST /api/api-keys': z.output<typeof CreatedKey>;
  'GET /api/settings-keys': z.output<typeof KeyList>;
  'POST /api/settings-keys': z.output<typeof CreatedKey>;
  'POST /api/keys/test-agent/start': z.output<typeof AgentProbe>;
  'GET /api/keys/test-agent/status': z.output<typeof AgentProbe>;
  'GET /api/mcp-authorizations': z.output<typeof McpAuthorizationList>;

  'GET /readyz': {
    readonly status: string;
    readonly not_ready?: readonly { name: string; reason: string }[];
  };
}

interface DeepLink {
  readonly deep_link: string;
  readonly bot_name: string;
  readonly code: string | null;
  readonly expires_at: string | null;
}

/** Answers that nobody reads have no schema here; a test compares all names with the gateway's routes. */
export type Endpoint = keyof Answers | `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
export type AnswerOf<E> = E extends keyof Answers ? Answers[E] : unknown;
export type Reading = Extract<keyof Answers, `GET ${string}`>;

/** What several pages show, out of the answers that have it. */
export type Agent = Answers['GET /api/agents']['agents'][number];
export type Call = Answers['GET /api/calls']['calls'][number];
export type Conversation = Answers['GET /api/inbox']['conversations'][number];
export type Key = Answers['GET /api/api-keys']['keys'][number];
export type Platform = Answers['GET /api/platforms']['platforms'][number];
export type Preset = Answers['GET /api/voice-configs']['voice_configs'][number];
export type SpeechKind = Preset['kind'];
