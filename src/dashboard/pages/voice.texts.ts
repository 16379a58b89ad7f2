export const t = {
  explanation:
    'With a preset of your own, calls are transcribed and can say texts. One of each kind is used at a time.',
  add: 'Add',
  enabled: 'In use',
  enable: 'Use it',
  disable: 'Stop using it',
  removeQuestion: (name: string) => `Remove the preset ${name}?`,
  provider: { label: 'Provider' },
  key: { label: 'API key', type: 'password', autocomplete: 'off' },
  region: { label: 'Region' },
  enabledField: {
    label: 'Use it',
    hint: 'Another one of this kind is no longer used',
    type: 'check',
    usual: true,
  },
  examples: (known: readonly string[]) => `For example ${known.slice(0, 4).join(', ')}`,
  onePerLine: 'One per line',
  usual: (value: string) => (value === '' ? 'Default' : `Default (${value})`),
  listVoices: 'Show the voices',
  findVoice: 'Find a voice',
  preview: 'Listen',
  choose: 'Choose',

  interruption: 'Test interruption',
  interruptionHint:
    'Calls an agent from here, says a long text, and shows when you have interrupted it. Use your microphone, and headphones.',
  needs: 'This needs a preset for recognition and one for speech in use.',
  begin: 'Test with my microphone',
  text: 'I will now talk for a while, so that you can interrupt me. Say a word, or cough, or say yes as people do while they listen, and see what stops me and what does not. If nothing stops me, your microphone may be muted, or the settings of the recognition preset ask for longer words. I will soon be at the end of what I wanted to say.',
};
