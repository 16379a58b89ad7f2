import { expect, it } from 'vitest';
import { pastedLink } from '../../../src/base/pasted-link.ts';

const LINK = 'https://zoom.us/j/81234567890?pwd=Q1Rz.1';
const TEAMS =
  'https://teams.microsoft.com/l/meetup-join/19%3ameeting_YWJj%40thread.v2/0?context=%7b%22Tid%22%3a%22t%22%7d';
const safe = (link: string) =>
  `https://eur01.safelinks.protection.outlook.com/ap/t-59584e83/?url=${encodeURIComponent(link)}&data=05%7C02&reserved=0`;

it.each([
  ['in the brackets of mails', `<${LINK}>`, LINK],
  ['with one of them', `${LINK}>`, LINK],
  ['with a label, as in Slack', `<${LINK}|Join>`, LINK],
  ['in quotes', `"${LINK}"`, LINK],
  ['at the end of a sentence', `${LINK}).`, LINK],
  ['with HTML behind it', `${LINK}</a>`, LINK],
  ['with ampersands of HTML', 'https://zoom.us/w/8?tk=a&amp;pwd=b', 'https://zoom.us/w/8?tk=a&pwd=b'],
  ['with invisible characters', `\ufeff${LINK}\u200b`, LINK],
  ['with typeset hyphens', 'abc\u2011mnop\u2013xyz', 'abc-mnop-xyz'],
  ['of Outlook', safe(TEAMS), TEAMS],
  ['of Outlook, of a government', safe(LINK).replace('outlook.com', 'office365.us'), LINK],
  [
    'of a chat in Teams',
    `https://statics.teams.cdn.office.net/evergreen-assets/safelinks/2/atp-safelinks.html?url=${encodeURIComponent(TEAMS)}&locale=en`,
    TEAMS,
  ],
  [
    'of Google Calendar',
    `https://www.google.com/url?q=${encodeURIComponent(LINK)}&sa=D&source=calendar`,
    LINK,
  ],
  [
    'of Meet’s chat',
    `https://meet.google.com/linkredirect?authuser=0&dest=${encodeURIComponent(LINK)}`,
    LINK,
  ],
  ['of Proofpoint', `https://urldefense.com/v3/__${LINK}__;!!AbC!xyz$`, LINK],
  ['of one through another', safe(`https://www.google.com/url?q=${encodeURIComponent(TEAMS)}`), TEAMS],
  ['as it is', LINK, LINK],
  ['of somebody else’s', 'https://example.com/url?q=x', 'https://example.com/url?q=x'],
  ['that leads nowhere', 'https://www.google.com/url?sa=D', 'https://www.google.com/url?sa=D'],
  [
    'before its telephone link',
    '+41 43 226 95 56,,173#<tel:+41432269556,,173#>   Zurich',
    '+41 43 226 95 56,,173#',
  ],
  ['that begins in parentheses', '(646) 558-8656,,820445398#', '(646) 558-8656,,820445398#'],
  ['that is an address', 'sip:81234567890.123456@[::1]', 'sip:81234567890.123456@[::1]'],
  ['that is nothing', ' \u200b\n', ''],
])('a link or number %s', (_, text, meant) => {
  expect(pastedLink(text)).toBe(meant);
});
