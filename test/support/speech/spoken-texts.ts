/** Ten sentences, as a recognizer writes them. */
export const SENTENCES = [
  'the weather is nice today',
  'please call me back tomorrow morning',
  'your order will arrive on thursday',
  'i would like to speak with the manager',
  'the train leaves in twenty minutes',
  'can you help me with my account',
  'we are open from nine to five',
  'thank you very much for your patience',
  'the meeting has been moved to next week',
  'what is the name of your company',
];

export const NUMBERS = [
  'zero one two three four',
  'five six seven eight nine',
  'four seven one two',
  'nine one one three five',
  'eight zero two six four',
  'three three seven one',
  'two four six eight zero',
  'one three five seven nine',
  'six six zero five',
  'seven eight nine one two',
];

/** All that these numbers are made of. */
export const DIGITS_GRAMMAR = '( zero | one | two | three | four | five | six | seven | eight | nine )+';
