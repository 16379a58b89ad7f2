import type { Fields } from '../../parts/field.ts';
import { texts } from '../../texts.ts';

const PAI = 'P-Asserted-Identity';
const password = { label: 'Password', type: 'password', autocomplete: 'new-password' } as const;

export const t = {
  trunk: {
    title: 'SIP trunk',
    connect: 'Connect trunk',
    saved: 'The trunk was saved',
    remove: 'Remove trunk',
    removeQuestion: 'Remove the trunk? Calls to your numbers no longer arrive.',
    inbound: 'Address for incoming calls',
    inboundHint: 'For providers that send calls without a registration. Keep it secret.',
    fields: (isStored: boolean): Fields => ({
      host: { label: 'Server', required: true, placeholder: 'sip.example.com' },
      port: { label: 'Port', type: 'number', min: 1, max: 65_535, required: true },
      username: { label: 'User name', required: true },
      password: isStored ? { ...password, hint: texts.keepSecret } : { ...password, required: true },
      caller_id: { label: 'Number shown to others', hint: 'Usually the user name' },
      transport: { label: 'Transport', options: { udp: 'UDP', tcp: 'TCP', tls: 'TLS' } },
    }),
    advanced: {
      realm: { label: 'Realm', hint: 'Only if the provider names one' },
      srtp: {
        label: 'Encryption of the audio (SRTP)',
        options: { off: 'Off', optional: 'If the trunk has it', required: 'Required' },
      },
      register: { label: 'Register', hint: 'Incoming calls usually need it', type: 'check' },
      media_timeout_s: {
        label: 'Seconds without a packet after which a call is lost',
        hint: 'Empty: as the gateway has it; 0: never',
        type: 'number',
        min: 0,
      },
      caller_id_in: {
        label: 'Where your number is told',
        options: { from: 'From', p_asserted_identity: PAI, p_preferred_identity: 'P-Preferred-Identity' },
      },
      caller_from: {
        label: 'Where callers’ numbers are read first',
        options: { p_asserted_identity: PAI, remote_party_id: 'Remote-Party-ID', from: 'From' },
      },
      behind_nat: { label: 'The trunk’s audio may come from other addresses', type: 'check' },
    } as Fields,
  },

  numbers: {
    title: 'Phone numbers',
    add: 'Add a number',
    fields: {
      number: {
        label: 'Number',
        hint: 'As +33123456789, or an extension such as 1001',
        type: 'tel',
        required: true,
      },
      label: { label: 'What you call it', maxLength: 80 },
      auto_answer: { label: 'Answer at once', hint: 'Otherwise calls ring for 60 s', type: 'check' },
    } satisfies Fields,
    enabledPreset: 'The enabled one',
    removeQuestion: (number: string) => `Remove ${number}? Its calls no longer ring.`,
  },
};
