import type { KeyOutcome } from './accounts/first-start.ts';
import type { Gateway } from './gateway.ts';
import type { Settings } from './settings/settings.ts';

/** What a start prints for people: where everything is and, once, the keys. */
export function banner(gateway: Gateway, settings: Settings): string {
  const { publicUrl, sipPort, operatorKeys } = gateway;
  const moved = sipPort !== settings.sip.port ? ` (port ${settings.sip.port} is taken)` : '';
  const lines = [
    'Voice and Chat Gateway is ready.',
    '',
    `  HTTP   ${publicUrl}   description: ${publicUrl}/openapi.json`,
    `  SIP    ${settings.sip.host}:${sipPort} over UDP and TCP${moved}`,
    `  RTP    UDP ports ${settings.sip.rtpPortMin} to ${settings.sip.rtpPortMax}`,
    `  Data   ${settings.dataDir}`,
    ...keyLines('agent key', 'places and answers calls', operatorKeys.agentKey),
    ...keyLines('settings key', 'connects trunks and numbers', operatorKeys.settingsKey),
    ...firstCall(publicUrl, operatorKeys.agentKey),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

function keyLines(name: string, purpose: string, outcome: KeyOutcome): string[] {
  switch (outcome.state) {
    case 'made':
      return ['', `  Your ${name} (${purpose}), shown this once:`, `    ${outcome.key}`];
    case 'revoked':
      return ['', `  The ${name} that you gave was revoked earlier and stays so.`];
    case 'given':
    case 'kept':
      return [];
  }
}

function firstCall(publicUrl: string, agentKey: KeyOutcome): string[] {
  if (agentKey.state !== 'made') return [];
  return ['', '  Try it:', `    curl -H 'X-API-Key: ${agentKey.key}' ${publicUrl}/api/calls`];
}
