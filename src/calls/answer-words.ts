/** Who or what a call has been answered by. */
export type AnsweredBy = 'human' | 'machine' | 'screening' | 'ivr' | 'fax' | 'unknown';

/** `sure`: nobody else says it. `likely`: hardly anybody else begins like that. */
export interface Impression {
  readonly who: AnsweredBy;
  readonly isSure: boolean;
}

/** One pattern of several, each of them whole words. */
function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(`(?<!\\p{L})(${patterns.join('|')})(?!\\p{L})`, 'u');
}

/** A screening asks for the name and the reason. A person asks who it is, too. */
const SCREENING = anyOf(
  '(state|say|record|give|tell me) your name(?! and (number|phone))',
  "(reason for (your|the|calling)|why you('re| are) calling|what you('re| are) calling about)",
  '(is|be|being) screen(ed|ing)|screening (service|a call|calls?|this call)|caller id screening|call assist',
  'see if (this person|they) (is|are) available|will try to connect you',
  'ihren namen und (den grund|ihr anliegen)|grund (ihres|des) anrufs|anruf wird geprüft|ob die person verfügbar',
  'votre nom et (le motif|la raison)|motif de votre appel|si cette personne est disponible',
  'su nombre y (el|la) (motivo|razón)|motivo de (la|su) llamada|si esta persona está disponible',
);
/** Of machines, in English, German, French and Spanish. What is said of oneself or of others at the phone is not in it. */
const MACHINE = anyOf(
  '(after|at|for|following) the (tone|beep|signal)|record (your|a) message|finished recording',
  '(?<!(to|you|i|can|could|did|will|ll|would|he|she|they|just) )leave (me |us )?(a|your|an) (\\w+ )?(message|name|number|details|text)',
  'leave your details',
  '(has been|is being|will be) (forwarded|transferred|directed) to (a|an|the|voice)',
  "you('ve| have) reached (the|my|our|a) (voice ?mail|mailbox)|through to the voice ?mail|(voice ?mail|mail ?box) (of|for|service|system|that|is full|has)",
  'has a voice ?mail|automat(ic|ed) voice|answering machine of|this is the answering machine',
  "(person|party|customer|subscriber|number) (that )?you('ve| have|'re| are)? ?(have )?(called|calling|dial+ed|trying to (reach|call)) (is|has|cannot|can't|isn't) (not|un|currently|temporarily|switched|out|been|a voice)\\p{L}*",
  'this person is (not|un)\\w*|(no one|nobody|no-one) is (available|home|here)',
  "(i|we)('re| are|'m| am)? ?(currently |sorry )?(can't|cannot|can not|couldn't|unable to|not able to|not) (currently |to )?((take|answer|receive) (your|the|this) (call|phone)|(come|get|make it) to (the|my) phone)",
  'not in service|has not been set up|is switched off|try (your call )?again later|(extension|number) [\\w ]{1,24} is (unavailable|not available)',
  'nach dem ([\\p{L}]*ton|piep)|hinterlassen sie|anrufbeantworter|mobilbox|die mailbox|(teilnehmer|gesprächspartner|anschluss) ist \\p{L}* ?(zur zeit )?nicht erreichbar|wir sind (\\p{L}+ ){0,2}nicht erreichbar|außerhalb (unserer|der) \\p{L}+zeiten|aufs band',
  "après le (bip|signal)|(sur|joint) (le répondeur|la messagerie|la boîte vocale)|boîte vocale|(correspondant|numéro) [\\p{L} ]{0,24}(n'est pas|est indisponible)|bureaux sont fermés|(?<!-vous )laisse[rz] (vos|votre|moi)|rappeler ultérieurement",
  'después (del|de la) (tono|señal)|al oír la señal|(?<!\\p{L})dej[ea](me|nos)? (tu|su|un) mensaje|déja(me|nos) (tu|su|un) mensaje|buzón|contestador|apagado o fuera|(número|teléfono) (al )?que [\\p{L} ]{0,20}(no está|está apagado)|posible atender|no (te|le) puedo atender',
);
const MENU = anyOf(
  '(press|dial|push|select) (?!nine one one|911)(\\d|one|two|three|four|five|six|seven|eight|nine|zero|the|pound|star|any)|(pound|star|hash) key',
  '(main|following) menu|our menu|menu (options|has)|listen (carefully|closely)|say or enter|(please )?enter your|in a few words',
  'calls? (may|will|might) be (recorded|monitored)|your call is important|available (agent|representative|operator)|(agents|representatives|operators|lines) are (currently |all )*busy|wait time|for english',
  "(if you know|enter) your party's|if you are an? \\p{L}+ press|know the extension",
  '(drücken|wählen) sie|sagen sie bitte|nächste freie|für deutsch',
  '(tapez|appuyez|composez)|conseillers sont|veuillez patienter',
  '(marque|pulse|oprima|presione)|agentes están|permanezca en la línea',
);
/** Machines say so, and people now and then. */
const MACHINE_MAYBE = anyOf(
  "(i'll|we'll|will) (get back to|return your|call you)|get back to you|return your call",
  '(office|we) (is|are) (currently |now )?closed|(our|office|business) hours are|you know (what to do|the drill)|sorry (we|i) missed your call',
  'on vacation|out of the office|away from my (phone|desk)|voice ?mail of',
  'sie rufen|ist werktags|ha llamado (usted )?a|le atiende el',
);
/** What people say who listen, or answer for another: they ask. */
const PERSON = anyOf(
  '(may|can|could|shall|should) (i|we) (\\p{L}+ )?(help|direct|take|ask|tell|leave)|(would|do|did|could|can) you|what (can|would|do|did)|how (can|may|did)',
  "for calling [\\p{L} ]+ (this is|you're speaking (with|to)) (?!the|an?|our|your)\\p{L}+|hello (hello|yes)|yes hello",
  "who's (this|that|calling|speaking)|who (is|am|did)|what's (up|this|it)|whats up|is (this|that|someone)|are you|you there|say that again",
  "speaking$|(hang|hold) on|hold the line|(one|just a|give me one|give me a) (sec|second|moment)|go ahead$|call me back|missed call|called me|rang me|i got (a|your)|(?<!reached )my voicemail|i can't (talk|hear)|i'm (driving|not interested)|text me",
  '(wer|was) (ist|spricht|kann)|sie sprechen mit|mein name ist|soll ich|ja bitte|ich höre',
  'que puis-je|qui est|ne quittez|à votre écoute|voulez-vous',
  'quién (habla|es|llama)|dígame|en qué|de parte|quiere dejar|quiere que',
);
/** Returns who speaks, as far as the words say. Null: anybody. */
export function spokenBy(text: string): Impression | null {
  const words = plain(text);
  if (SCREENING.test(words)) return { who: 'screening', isSure: true };
  const isPerson = PERSON.test(words);
  if (MACHINE.test(words)) return isPerson ? null : { who: 'machine', isSure: true };
  if (MENU.test(words)) return { who: 'ivr', isSure: true };
  if (isPerson) return { who: 'human', isSure: false };
  return MACHINE_MAYBE.test(words) ? { who: 'machine', isSure: false } : null;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[,.;:!?¿¡]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
