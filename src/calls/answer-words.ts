/** Who or what a call has been answered by. */
export type AnsweredBy = 'human' | 'machine' | 'screening' | 'ivr' | 'fax' | 'unknown';

/**
 * What machines say, in English, German, French and Spanish, in the order in which it counts: a screening asks for the name,
 * too, and a mailbox names keys. The words of a person who answers are among none of them.
 */
const SAID: readonly (readonly [AnsweredBy, RegExp])[] = [
  [
    'screening',
    /\b(who('s| is) calling|(state|say|record) your name|reason for (your|the) call|why you('re| are) calling|screening (service|calls?)|see if (this person|they) (is|are) available|call assist|before i (try to )?connect|wer (ruft|spricht) (da|dort)|nennen sie (bitte )?ihren namen|grund (ihres|des) anrufs|dites votre nom|qui (est à l'appareil|appelle)|diga su nombre|quién llama)\b/u,
  ],
  [
    'machine',
    /\b(leave (a|your|me a|us a|a short|a brief) (\w+ )?(message|name)|(after|at) the (tone|beep)|you('ve| have) reached (the )?(voice ?mail|mailbox|phone of|\w+('s)? (voice ?mail|mailbox))|voice ?mail( box)?|mailbox|answering machine|(i'm|i am|we're|we are) (currently |sorry )?(not |un)available|(person|party|customer|subscriber|number|user) (that )?you('re| are| have) (calling|called|dialed|trying to reach) is (not|un|currently)|i (can't|cannot|can not|couldn't) (come|get|make it) to the phone|(i|we|i'm|we're) (can't|cannot|am unable to|are unable to|unable to) (take|answer) (your|the) call|away from my (phone|desk)|(sorry i|i'?ve?) missed your call|get back to you|return your call|nach dem (signal|piep)?ton|hinterlassen sie|anrufbeantworter|(bin|sind|ist) (gerade|zurzeit|zur zeit|momentan|leider) nicht (erreichbar|zu erreichen)|laisse[zr]? (moi )?(un|votre) message|après le (bip|signal)|messagerie|répondeur|deje (su|un) mensaje|buzón|después (del|de la) (tono|señal)|no (está|estoy) disponible)\b/u,
  ],
  [
    'ivr',
    /\b(press (\d|one|two|three|four|five|six|seven|eight|nine|zero|pound|star|any)|(main|following) (menu|options)|listen (carefully|closely)|menu options|calls? (may|will|might) be (recorded|monitored)|your call is important|please hold|all (of )?our (agents|representatives|operators|lines)|(office|business) hours are|if you know (your party's|the) extension|for (sales|support|service|billing|english)\b|drücken sie|wählen sie|tapez|appuyez|composez|marque (el|la|uno|\d)|pulse (el|la|uno|\d)|oprima)\b/u,
  ],
];

/** A person who answers for another says much of it, and asks. */
const ASKS =
  /\b(may|can|could|would|shall|should) (i|you|we)\b|\b(möchten|wollen|soll|kann|darf) (sie|ich)\b|\b(puis-je|voulez-vous|quiere|puedo)\b/u;

/** Returns who speaks, as far as the words say. Null: anybody. */
export function spokenBy(text: string): AnsweredBy | null {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[,.;:!?]/g, '')
    .replace(/\s+/g, ' ');
  const who = SAID.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
  return who === 'machine' && ASKS.test(words) ? null : who;
}
