import type { Clock } from '../base/time.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { PortReserver } from '../connectors/sip/signaling/sdp/port-pool.ts';
import { SipConnector } from '../connectors/sip/sip-connector.ts';
import { TelegramConnector } from '../connectors/telegram/telegram-connector.ts';
import type { TelegramObserver } from '../connectors/telegram/telegram-observer.ts';
import { WhatsAppConnector } from '../connectors/whatsapp/whatsapp-connector.ts';
import { loadMediaIo } from '../native/media-io.ts';
import type { Settings } from '../settings/settings.ts';
import { findLoginNote, putLoginNote } from '../store/people/login-notes.ts';
import type { Loggers } from '../telemetry/loggers.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { GatewayDeps } from './gateway-deps.ts';

/** All platforms with a connector. Only this module knows them all. */
export interface Platforms {
  readonly sip: SipConnector;
  /** Connectors for text messages. */
  readonly messengers: readonly Connector[];
}

export function makePlatforms(deps: GatewayDeps, metrics: Metrics, publicUrl: () => string): Platforms {
  const whatsApp = whatsAppConnector(deps, metrics);
  return {
    sip: sipConnector(deps.settings, deps.clock, deps.loggers, metrics),
    messengers: [telegramConnector(deps, metrics, publicUrl), ...(whatsApp === null ? [] : [whatsApp])],
  };
}

/** Returns the native port reserver; null when the thread that uses a port binds it itself. */
function portReserver(): PortReserver | null {
  const binding = loadMediaIo();
  return typeof binding === 'string' ? null : binding;
}

function sipConnector(settings: Settings, clock: Clock, loggers: Loggers, metrics: Metrics): SipConnector {
  const { tlsCa, tlsListen, numbersPerAccount: _numbers, ...others } = settings.sip;
  return new SipConnector(
    {
      ...others,
      tlsTrust: tlsCa === null ? {} : { ca: tlsCa },
      ...(tlsListen === null ? {} : { tlsListen }),
      ...(settings.engine.mediaIo === 'portable' ? {} : { reserving: portReserver }),
    },
    clock,
    {
      count: (counter) => metrics.sipEvent(counter),
      log: (level, text, detail) => loggers.sip[level](detail, text),
    },
  );
}

function telegramConnector(
  { settings, clock, loggers, store: { db } }: GatewayDeps,
  metrics: Metrics,
  publicUrl: () => string,
): TelegramConnector {
  const { urls, sharedToken, updates } = settings.telegram;
  const webhookRoot = updates === 'webhook' ? () => `${publicUrl()}/api/telegram/webhook` : null;
  const observer: TelegramObserver = {
    count: (event) => metrics.messengerEvent('telegram', event),
    log: (level, text, detail) => loggers.messaging[level]({ platform: 'telegram', ...detail }, text),
  };
  return new TelegramConnector({ urls, sharedToken, webhookRoot }, clock, observer, {
    read: (loginKey) => findLoginNote(db, 'telegram', loginKey),
    write: (loginKey, note) => putLoginNote(db, 'telegram', loginKey, note),
  });
}

/** Returns the WhatsApp connector; null when no number is configured. */
function whatsAppConnector(
  { settings, clock, loggers }: GatewayDeps,
  metrics: Metrics,
): WhatsAppConnector | null {
  if (settings.whatsapp === null) return null;
  return new WhatsAppConnector(settings.whatsapp, clock, {
    count: (event) => metrics.messengerEvent('whatsapp', event),
    log: (level, text, detail) => loggers.messaging[level]({ platform: 'whatsapp', ...detail }, text),
  });
}
