export const t = {
  title: 'Phone numbers',
  none: 'No number yet',
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
  },
  enabledPreset: 'The enabled one',
  removeQuestion: (number: string) => `Remove ${number}? Its calls no longer ring.`,
};
