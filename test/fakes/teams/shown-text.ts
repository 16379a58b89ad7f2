const ESCAPES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' };

/** Returns the text that people see of what a bot has written, apart from its formatting. */
export function shownText(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_all, name: string) => ESCAPES[name] ?? '');
}
