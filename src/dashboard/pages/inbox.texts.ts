export const t = {
  none: 'No conversation yet',
  you: 'You:',
  choose: 'Choose a conversation',
  reply: 'Reply as the agent',
  closed: 'The other side can no longer receive messages.',
  windowOpen: 'This person can be written to now.',
  windowClosed: (count: number) =>
    `This person has not written for 24 hours: messages wait until they write again (${count} waiting).`,
  choices: 'Offered:',
  chosen: 'Chosen:',
  edited: 'edited',
};
