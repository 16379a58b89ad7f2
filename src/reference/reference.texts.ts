export const t = {
  title: 'API reference',
  dashboard: 'Dashboard',
  find: 'Find an endpoint',
  key: 'API key',
  keyHint: 'For requests that you try here. Without one, your session is used',
  parameters: 'Parameters',
  body: 'Body',
  tryIt: 'Try it',
  answer: 'Answer',
  sends: 'You send',
  receives: 'You receive',
};
