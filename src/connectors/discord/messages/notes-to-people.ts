/** What a bot says on its own. */
export const NOTE = {
  connected: 'You are connected. The agent receives the messages that you send here.',
  channelConnected: 'This channel is connected. The agent receives messages that mention me.',
  codeOver: 'This code is not valid, or no longer. Please ask for a new one.',
  whoAreYou:
    'This bot does not know which agent to connect you to. Please ask for a one-time code and send it here.',
  unknownChannel:
    'This channel is not connected to an agent. Somebody who may manage the server can connect it: mention me with a one-time code.',
  notAllowed: 'Only somebody who may manage the server can decide that.',
  listening: 'I now read everything in this channel. To end that, mention me with “stop listening”.',
  notListening: 'I now read only messages that mention me.',
  noContent:
    'I cannot read messages that do not mention me: the Message Content intent is off for this bot in the developer portal.',
} as const;
