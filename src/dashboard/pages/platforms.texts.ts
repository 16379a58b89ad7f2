type Words = Readonly<Record<string, string>>;

export const t = {
  unknown: 'There is no such platform.',
  connected: (name: string) => `${name} is connected.`,
  logins: 'Logins',
  connect: (name = '') => `Connect ${name}`,
  renew: 'Renew',
  approve: 'Approve as administrator',
  disconnect: 'Disconnect',
  disconnectQuestion: (label: string) => `Remove ${label}? Its calls end, and its messages no longer arrive.`,
  ways: 'Ways into calls',

  test: 'Send me a test message',
  testSent: 'The test message was sent',
  testFailed: 'The test message did not arrive',
  words: 'The platform says:',
  suggestion: 'What may help:',
  wrong: 'This diagnosis is wrong',
  reported: 'Thank you, the operator was told',

  nextcloudFailed: 'The Nextcloud did not say why it failed; start again.',
  nextcloudFailures: {
    missing_params: 'The Nextcloud did not get all that it needs; start again.',
    state_missing: 'The Nextcloud knows of no such attempt; start again there.',
    state_mismatch: 'Another attempt was begun at the Nextcloud meanwhile; start again there.',
    state_expired: 'It took longer than 10 minutes; start again.',
    admin_mismatch: 'Another administrator of the Nextcloud has begun it; start again there.',
    unsafe_urls:
      'The Nextcloud does not accept the URLs of this gateway; its operator has to set SVC_PUBLIC_URL.',
    bot_creation_failed:
      'The Nextcloud could not make the bot, or this gateway could not reach it; the log of the Nextcloud says more.',
  } as Words,
};
