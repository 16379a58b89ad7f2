export const t = {
  titles: { agent: 'Agent keys', settings: 'Settings keys' },
  purposes: {
    agent: 'With these, agents call, write and listen.',
    settings: 'With these, programs change what you change here.',
  },
  name: 'Name of a new key',
  create: 'Create key',
  created: 'The new key',
  once: 'It is shown this once. Keep it like a password.',
  used: 'used',
  unused: 'never used',
  revoke: 'Revoke',
  revokeQuestion: (name: string) => `Revoke ${name}? Whoever uses it is cut off at once.`,
  useIn: 'Use it in',
  samples: {
    mcp: 'an MCP client (HTTP)',
    claudeCode: 'Claude Code',
    stdio: 'an MCP client that starts programs',
    curl: 'the shell',
    javascript: 'JavaScript',
  },

  ping: 'Ping agents',
  pingHint: 'Writes to every agent and waits 30 s for an answer.',
  start: 'Ping',
  running: 'Waiting for answers …',
  advice: {
    replied: '',
    connected_but_silent:
      'It holds a connection but does not react to pushed messages. Many clients have to read the inbox.',
    key_used_recently: 'It asks from time to time, and has no connection now. It may answer later.',
    not_connected: 'Nothing uses this key. Check the key and the address in the client.',
  },

  clients: 'MCP clients',
  clientsHint: 'Assistants that sign in by themselves need only this address:',
  url: 'Address for MCP clients',
  cutOff: (name: string) => `Cut off ${name}? It has to ask you again.`,
};
