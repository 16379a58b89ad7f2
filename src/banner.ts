import type { KeyOutcome, OperatorKeys } from './accounts/people/first-start.ts';
import type { Gateway } from './gateway.ts';
import type { Settings } from './settings/settings.ts';

/** Returns the text printed at start: where everything listens and, on the first start only, the keys. */
export function banner(gateway: Gateway, settings: Settings): string {
  const { publicUrl, sipPort, sipTlsPort, operatorKeys, setupToken } = gateway;
  const wanted = settings.sip.port;
  const moved = wanted !== 0 && sipPort !== wanted ? ` (port ${wanted} is in use)` : '';
  const tls = sipTlsPort === null ? '' : `, TLS on port ${sipTlsPort}`;
  const lines = [
    'Voice and Chat Gateway is ready. Press Ctrl-C to stop it.',
    '',
    `  HTTP   ${publicUrl}   description: ${publicUrl}/openapi.json`,
    `  SIP    ${settings.sip.host}:${sipPort} over UDP and TCP${moved}${tls}`,
    `  RTP    UDP ports ${settings.sip.rtpPortMin} to ${settings.sip.rtpPortMax}`,
    `  Data   ${settings.dataDir}`,
    ...setupLink(publicUrl, setupToken),
    ...revokedKeys(operatorKeys),
    ...newKeys(publicUrl, operatorKeys),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** The token stands behind a `#`, so that browsers send it to nobody and nothing logs it. */
function setupLink(publicUrl: string, token: string | null): string[] {
  if (token === null) return [];
  return [
    '',
    '  Set your password for the dashboard (works once, for 24 hours):',
    `    ${publicUrl}/dashboard/setup#${token}`,
  ];
}

function revokedKeys({ agentKey, settingsKey }: OperatorKeys): string[] {
  const revoked = (name: string, { state }: KeyOutcome): string[] =>
    state === 'revoked' ? ['', `  The ${name} that you provided was revoked earlier and stays revoked.`] : [];
  return [...revoked('agent key', agentKey), ...revoked('settings key', settingsKey)];
}

function newKeys(publicUrl: string, { agentKey, settingsKey }: OperatorKeys): string[] {
  const exports = [...exported('AGENT_KEY', agentKey), ...exported('SETTINGS_KEY', settingsKey)];
  if (exports.length === 0) return [];
  return [
    '',
    '  Your keys, shown this once. AGENT_KEY places and answers calls, SETTINGS_KEY connects trunks and numbers:',
    '',
    `    export BASE=${publicUrl}`,
    ...exports,
    ...firstRequest(publicUrl, agentKey),
    '',
    '  Next: connect your SIP trunk, as README.md shows ("First call"), or see a call with npm run demo.',
  ];
}

function exported(name: string, outcome: KeyOutcome): string[] {
  return outcome.state === 'made' ? [`    export ${name}=${outcome.key}`] : [];
}

function firstRequest(publicUrl: string, agentKey: KeyOutcome): string[] {
  if (agentKey.state !== 'made') return [];
  return ['', '  Try it:', `    curl -H 'X-API-Key: ${agentKey.key}' ${publicUrl}/api/calls`];
}
