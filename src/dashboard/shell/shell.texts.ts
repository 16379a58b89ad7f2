export const t = {
  label: 'Pages',
  skip: 'Skip to the content',
  menu: 'Menu',
  docs: 'API reference',
  leave: 'Sign out',
  talk: 'Your call',
  with: (agent: string) => `You are calling ${agent}`,
  mute: 'Mute',
};
