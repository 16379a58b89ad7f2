import type { Connector, InboundAnswerer, PlacesCalls } from '../../../src/connectors/contract/connector.ts';
import type { LoginState } from '../../../src/connectors/contract/login.ts';
import type {
  FetchesFiles,
  HasWindow,
  MessageIntake,
  Messenger,
  ShowsReactions,
  ShowsTyping,
} from '../../../src/connectors/contract/messenger.ts';
import type { TakesWebhooks } from '../../../src/connectors/contract/webhooks.ts';
import type { Bridges } from '../../../src/media/transport.ts';

/** The seams between a connector and the gateway at which a rule can be violated. */
export interface Seams {
  readonly life: Pick<Connector, 'start' | 'close'>;
  readonly messenger: Messenger;
  readonly intake: MessageIntake;
  readonly typing: ShowsTyping;
  readonly files: FetchesFiles;
  readonly window: HasWindow;
  readonly reactions: ShowsReactions;
  readonly webhooks: TakesWebhooks;
  readonly botStates: BotStates;
  readonly calls: PlacesCalls;
  readonly bridges: Bridges;
  readonly answerer: InboundAnswerer;
}

export interface BotStates {
  changed(botId: string, state: LoginState): void;
}

/** A connector's mistake: it violates one rule, by what it does differently at some of the seams. */
export interface Violation {
  /** Title of the rule. */
  readonly rule: string;
  /** What the connector does. */
  readonly does: string;
  /** The gateway has to be started again afterwards. */
  readonly outlastsItself?: true;
  /** By seam: the members that differ. `inner` does it right. */
  readonly at: { readonly [Name in keyof Seams]?: (inner: Seams[Name]) => Partial<Seams[Name]> };
}
