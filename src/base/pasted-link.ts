import { typedText } from './typed-text.ts';

/** Pages through which mails, chats and calendars lead, and the parameter with the link that they lead to. */
const DETOURS: readonly (readonly [page: RegExp, parameter: string])[] = [
  [/^https:\/\/(?:[\w-]+\.)?safelinks\.protection\.(?:outlook\.com|outlook\.cn|office365\.us)\//i, 'url'],
  [/^https:\/\/statics\.teams\.cdn\.office\.net\/evergreen-assets\/safelinks\//i, 'url'],
  [/^https:\/\/www\.google\.com\/url\?/i, 'q'],
  [/^https:\/\/meet\.google\.com\/linkredirect\?/i, 'dest'],
];
/** The link is in the path of this one. */
const URL_DEFENSE = /^https:\/\/urldefense\.com\/v3\/__(.+?)__;/i;

const SENTENCE = /(?<=[^\s.,;:!?"'\u201d\u2019)])[\s.,;:!?"'\u201d\u2019)]+$/;

/** Returns the link or number that a pasted text means: without what mails and chats put around it, and without detours. */
export function pastedLink(text: string): string {
  let link = undecorated(typedText(text));
  for (let next = behindDetour(link); next !== null; next = behindDetour(link)) link = next;
  return link;
}

/** Mails write `<link>`, chats `<link|label>`, HTML `link&amp;more`; a sentence goes on behind a link. */
function undecorated(text: string): string {
  const [bare = ''] = text.replace(/^[<"'\u201c\u2018]+/, '').split(/[<>|]/, 1);
  return bare.replace(SENTENCE, '').replaceAll('&amp;', '&');
}

function behindDetour(link: string): string | null {
  const parameter = DETOURS.find(([page]) => page.test(link))?.[1];
  if (parameter === undefined) return URL_DEFENSE.exec(link)?.[1] ?? null;
  return URL.parse(link)?.searchParams.get(parameter) ?? null;
}
