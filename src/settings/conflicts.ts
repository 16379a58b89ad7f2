import type { Values, VariableName } from './variables.ts';

/** Conflicts between settings that are valid on their own. */
export function conflicts(values: Partial<Values>): string[] {
  const mistakes: string[] = [];
  const { SVC_RTP_PORT_MIN: min, SVC_RTP_PORT_MAX: max } = values;
  if (min !== undefined && max !== undefined && max <= min) {
    mistakes.push(`SVC_RTP_PORT_MAX: must be greater than SVC_RTP_PORT_MIN (${min})`);
  }
  const { SVC_SIP_TLS_CERT_FILE: cert, SVC_SIP_TLS_KEY_FILE: key } = values;
  if (cert && key === null) mistakes.push('SVC_SIP_TLS_KEY_FILE: is required with SVC_SIP_TLS_CERT_FILE');
  if (key && cert === null) mistakes.push('SVC_SIP_TLS_CERT_FILE: is required with SVC_SIP_TLS_KEY_FILE');
  if (values.SVC_SMTP_URL && values.SVC_MAIL_FROM === null) {
    mistakes.push('SVC_MAIL_FROM: is required with SVC_SMTP_URL');
  }
  if (values.SVC_TELEGRAM_UPDATES === 'webhook' && values.SVC_PUBLIC_URL === null) {
    mistakes.push('SVC_PUBLIC_URL: is required with SVC_TELEGRAM_UPDATES "webhook"');
  }
  if (values.SVC_ZOOM_WEBHOOK_SECRET && values.SVC_ZOOM_CLIENT_ID === null) {
    mistakes.push('SVC_ZOOM_CLIENT_ID: is required with SVC_ZOOM_WEBHOOK_SECRET');
  }
  mistakes.push(
    ...missingOfDiscord(values),
    ...SET_TOGETHER.flatMap((names) => missingOf(names, values)),
    ...missingOfBridge(values),
  );
  const { SVC_BOOTSTRAP_AGENT_KEY: agentKey, SVC_BOOTSTRAP_SETTINGS_KEY: settingsKey } = values;
  if (agentKey && agentKey === settingsKey) {
    mistakes.push('SVC_BOOTSTRAP_SETTINGS_KEY: must differ from SVC_BOOTSTRAP_AGENT_KEY');
  }
  return mistakes;
}

/** A shared bot has a token and an application, and a client secret only with them. */
function missingOfDiscord(values: Partial<Values>): string[] {
  const needs = ['SVC_DISCORD_BOT_TOKEN', 'SVC_DISCORD_APPLICATION_ID'] as const;
  const present = [...needs, 'SVC_DISCORD_CLIENT_SECRET' as const].find((name) => values[name] !== null);
  if (present === undefined) return [];
  return needs.filter((name) => values[name] === null).map((name) => `${name}: is required with ${present}`);
}

/** A bridge that carries a platform has a URL, and one with a URL has a key. */
function missingOfBridge(values: Partial<Values>): string[] {
  const { SVC_BRIDGE_KEY: key, SVC_BRIDGE_URL: url, SVC_BRIDGE_PLATFORMS: platforms } = values;
  if (platforms && url === null) return ['SVC_BRIDGE_URL: is required with SVC_BRIDGE_PLATFORMS'];
  return url && key === null ? ['SVC_BRIDGE_KEY: is required with SVC_BRIDGE_URL'] : [];
}

const SET_TOGETHER = [
  ['SVC_SLACK_CLIENT_ID', 'SVC_SLACK_CLIENT_SECRET', 'SVC_SLACK_SIGNING_SECRET'],
  [
    'SVC_WHATSAPP_PHONE_NUMBER_ID',
    'SVC_WHATSAPP_ACCESS_TOKEN',
    'SVC_WHATSAPP_APP_SECRET',
    'SVC_WHATSAPP_VERIFY_TOKEN',
  ],
  ['SVC_TEAMS_APP_ID', 'SVC_TEAMS_APP_SECRET', 'SVC_TEAMS_TENANT_ID'],
  ['SVC_TEAMS_CLIENT_ID', 'SVC_TEAMS_CLIENT_SECRET'],
  ['SVC_MEET_CLIENT_ID', 'SVC_MEET_CLIENT_SECRET'],
  ['SVC_ZOOM_CLIENT_ID', 'SVC_ZOOM_CLIENT_SECRET'],
] as const;

/** These variables must be set all together or not at all. */
function missingOf(needs: readonly VariableName[], values: Partial<Values>): string[] {
  const present = needs.find((name) => values[name] !== null);
  if (present === undefined) return [];
  return needs.filter((name) => values[name] === null).map((name) => `${name}: is required with ${present}`);
}
