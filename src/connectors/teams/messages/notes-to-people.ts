/** What the bot says on its own. */
export const NOTE = {
  connected: 'You are connected. The agent receives the messages that you send here.',
  channelConnected: 'This conversation is connected. The agent receives messages that mention me.',
  codeOver: 'This code is not valid, or no longer. Please ask for a new one.',
  whoAreYou:
    'This bot does not know which agent to connect you to. Connect your Microsoft account at the gateway, or ask for a one-time code and send it here.',
  unknownChannel:
    'This conversation is not connected to an agent. A member of the organization can connect it: mention me with a one-time code.',
  notAllowed: 'Only members of the organization can decide that, not guests.',
} as const;
