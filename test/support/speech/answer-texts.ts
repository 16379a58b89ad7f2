import { readFileSync } from 'node:fs';
import type { AnsweredBy } from '../../../src/calls/answer-words.ts';

type Language = 'en' | 'de' | 'fr' | 'es';

/** Who says what, in which language. */
export interface AnswerText {
  readonly who: AnsweredBy;
  readonly language: Language;
  readonly text: string;
}

/**
 * What people and machines say when they answer, one per line, after what others collected: transcripts of carriers'
 * machine detection that went wrong, the test sets of voice agents, default greetings of carriers and phone systems, what
 * call screening asks. Names and companies are changed.
 */
const SAID: Readonly<Record<`${'human' | 'machine' | 'screening' | 'ivr'} ${Language}`, string>> = {
  'human en': `
Hello?
Yeah, hello?
Hi?
Yep?
Speaking.
Yes?
Hello? Hello?
Hello, this is Sandra speaking.
Good afternoon, Oliver here.
Hi, this is Nadia, who's this?
This is Fred.
Hi, you've got Martin.
Carol speaking.
Oh hey, I got your voicemail earlier, what's up?
Sorry, my voicemail's full, good thing you caught me.
Hey, did you leave me a message? I saw a missed call.
I was just about to leave you a message!
Yeah I never check my voicemail, good you called.
Hang on, are you recording a message? No? Oh, you're real. Hi.
Who's calling please?
May I ask who's speaking?
Is this a sales call?
If this is a robocall I'm hanging up.
How did you get this number?
Hang on, okay, sorry, hi. You there?
Give me one sec, okay, who's this?
Sorry, I'm driving, you're on speaker. Who's this?
One sec, let me step outside. Okay, hi.
Sorry, kids are loud, say that again?
Ugh, hold on, bad signal, can you hear me now?
Good morning, Redwood Solutions, this is Jenny, how can I help?
Front desk, this is Laura.
Thanks for calling Summit Auto, this is Roy.
Southgate Supply, how can I direct your call?
Riverside Dental, this is Martha speaking.
Hi, I got a missed call from this number?
Someone just called me from here?
Yeah, you guys rang me a minute ago?
I have a missed call, did someone need me?
Hello? Who is this now?
Hello? I can't hear you very well.
What? Who? Hello?
Hmm? Is someone there?
Pardon me, who did you say?
Yeah? Who's this exactly?
I don't recognize this number.
Make it quick, who is this?
I'm on the do not call list, you know.
This better not be spam.
Hello, yes, speaking.
Yes good morning. You are calling for?
Allo? Yes?
Hello, yes please?
Sorry, I'm not available right now, can you call me back later?
He's not available at the moment, can I take a message?
She's in a meeting. Would you like to leave a message with me?
I can leave a message for him if you want.
Yeah I'm driving, what's this about?
Can you hear me? Hello?
I'm not interested, thanks.
Just a second, let me get a pen.
Mommy is in the shower. Who is this?
Daddy! It's the phone! Hello?
Hello grandma, is that you?
Hi. Pizza Roma, delivery or pickup?
Global Trading, Patricia speaking. How may I direct your call?
Good morning, law offices of Brown and West. How may I direct your call?
Thank you for calling Parker and Sons. This is Rachel. How may I help you today?
County library, information desk, this is Paul, what can I do for you?
Tom Roberts.
Walsh, purchasing.
Hello there, this is Marjorie down at the flower shop on Mill Street, we open at nine, what would you like to order?
Who?
Hey man, what's up?
Yo.
Go ahead.
Hello, you've reached Emma, how can I help you?
One moment please. Hello, sorry about that, who am I speaking to?
I can't talk right now, I'm in a meeting, text me.
Hold the line please. Yes?`,
  'human de': `
Hallo?
Ja, hallo?
Müller.
Schneider, guten Tag.
Praxis Doktor Weber, mein Name ist Anna Klein, was kann ich für Sie tun?
Guten Morgen, Autohaus Berger, Sie sprechen mit Herrn Lang.
Ja bitte?
Wer ist denn da?
Moment, ich bin gerade im Auto, wer spricht da?
Stadtwerke Neustadt, Vogel, guten Tag.
Nein, der ist gerade nicht da, soll ich etwas ausrichten?
Ja, ich höre.`,
  'human fr': `
Allô?
Oui, allô?
Oui bonjour?
Cabinet du docteur Martin, bonjour, que puis-je faire pour vous?
Allô, qui est à l'appareil?
Ne quittez pas. Oui, allô?
Société Dubois, Claire à votre écoute, bonjour.
Il n'est pas là, voulez-vous laisser un message?`,
  'human es': `
¿Diga?
¿Bueno?
¿Sí, dígame?
Hola, ¿quién habla?
Clínica San José, buenos días, ¿en qué le puedo ayudar?
No está en este momento, ¿quiere dejarle un recado?
Sí, soy yo, ¿de parte de quién?
Aló, ¿quién es?`,
  'machine en': `
Hi, you've reached the voicemail of Alan Cooper. Please leave a message after the tone.
The person you are trying to reach is not available. At the tone, please record your message. When you have finished recording, you may hang up.
You have reached 555 0142. No one is available to take your call. Please leave a message after the beep.
Hi, this is Mark. I can't take your call right now. Please leave a message and I'll call you back.
Hey, it's Donna. You know what to do.
Hi, this is Matt. I can't get to my phone right now. Catch you later.
You've reached Paula. I'll call you back as soon as I can.
Thank you for calling Bluewave Solutions. Our office is currently closed. Please leave a message and we'll return your call on the next business day.
You've reached the sales team at Southgate Supply. We're unable to take your call. Leave your details.
Thank you for calling Riverside Dental. Our hours are nine to five, Monday through Friday. Please leave a message.
The Google subscriber you have dialed is not available. Please record your message after the tone.
Your call has been forwarded to an automated voice messaging system. The person you are trying to reach is not available.
Leave a message.
Speak after the tone.
At the tone, please record your message. When you've finished recording, you may hang up.
I'm sorry, this person is not available. If you would like to leave a message, wait for the tone.
The wireless customer you are calling has a voicemail box that has not been set up yet. Please try your call again later. Goodbye.
Seven, seven, nine, seven, one, three, three, is not available right now. Please record your message after the tone.
Please leave your message for five five five, two three six eight.
The mailbox is full and cannot accept any messages at this time. Goodbye.
The number you have dialed is not in service. Please check the number and dial again.
Hello, you've reached Doug. Sorry I can't answer, I'm probably on the boat. Leave a message.
You've reached our house. We're not in, so leave a message and a call back is guaranteed.
Hi, we're not here right now so leave me a message and I'll call you back.
Hello, this is Sheryl Thornton. I currently can't come to the phone, but please leave a message after the beep.
Hey there, you've reached Tim. I'm either away from my phone or I don't know your number. Leave me a text.
The subscriber you have called is not able to receive your call at this moment. Please try again later.
Welcome to the voice mail service of Orange. I'm sorry, but the person you called is not available.
You're through to the voicemail of Helen Gray. Please leave me your name and number.
The Vodafone number you have called is switched off. Please call later.
The person at extension two one four is unavailable. Please leave your message after the tone. When done, hang up or press the pound key.
We are unable to answer the phone right now. Kindly leave your name, number and a short message.
Hi, this is doctor Lewis. If this is an emergency, hang up and dial nine one one. Otherwise leave a message.
Good day, this is the answering machine of the Miller family.
Yo, it's Chris. Talk to me at the beep.
Nobody is home. You know the drill. Wait for the beep.
Hi, it's Laura, I'm on vacation until the tenth of June. I'll get back to you when I return.
Sorry we missed your call. Record a message and our team will respond soon.`,
  'machine de': `
Guten Tag, Sie haben die Mailbox von Hans Meier erreicht. Hinterlassen Sie eine Nachricht nach dem Signalton.
Der Teilnehmer ist nicht erreichbar. Bitte hinterlassen Sie eine Nachricht.
Dies ist der Anrufbeantworter der Firma Schmitt.
Hier ist die Sprachschule am Park. Wir sind heute leider nicht erreichbar. Bitte sprechen Sie nach dem Ton.
Der gewünschte Gesprächspartner ist zur Zeit nicht erreichbar.
Sie sind verbunden mit der Mobilbox. Bitte sprechen Sie nach dem Signalton.
Sie rufen außerhalb unserer Geschäftszeiten an. Unser Telefon ist werktags von neun bis fünf besetzt.
The person you have called is temporarily not available. Der Teilnehmer ist vorübergehend nicht erreichbar.
Hallo, ich bin gerade nicht da, aber ihr könnt mir etwas aufs Band sprechen.`,
  'machine fr': `
Bonjour, vous êtes bien sur le répondeur de Julie. Laissez un message après le bip.
Vous avez bien joint la boîte vocale de Louise Masson. Vous pouvez me laisser un message après le signal sonore.
Bonjour, vous êtes sur la messagerie de Marc Durand, je ne suis pas disponible.
Votre correspondant n'est pas disponible pour le moment. Veuillez rappeler ultérieurement.
Bonjour, nos bureaux sont fermés. Merci de laisser vos coordonnées après le bip.
Orange bonjour, le numéro que vous avez composé n'est pas attribué.`,
  'machine es': `
Por favor, deje su mensaje después de la señal.
El número que usted marcó no está disponible en este momento.
Hola, en este momento no te puedo atender, déjame tu mensaje.
Ha llamado usted a la empresa Ruiz. En estos momentos no es posible atenderle.
Le atiende el contestador de la familia García. Al oír la señal, diga su nombre y su teléfono.
El teléfono al que llama está apagado o fuera de cobertura.
Su llamada será transferida al buzón de voz.`,
  'screening en': `
Hi. If you record your name and reason for calling, I'll see if this person is available.
The person you are calling is using a screening service, and will get a copy of this conversation. Go ahead and say your name and why you're calling.
Hi, I'm Call Assist by Google, recording this call for the person you're trying to reach. Can I ask what you're calling about?
Hi, I'm the Google Assistant. I'm screening a call for John. Please say your name and why you're calling.
This call is being screened. Please state your name and the reason for your call.
The person you're calling has caller ID screening. Please state your name.
Please state your name after the tone and Google Voice will try to connect you.
This is Bixby. Your call is being screened. Who is calling, and what is it about?`,
  'screening de': `
Wenn Sie Ihren Namen und den Grund Ihres Anrufs nennen, sehe ich nach, ob die Person verfügbar ist.
Dieser Anruf wird geprüft. Bitte nennen Sie Ihren Namen und Ihr Anliegen.`,
  'screening fr': `
Si vous indiquez votre nom et le motif de votre appel, je verrai si cette personne est disponible.`,
  'screening es': `
Si graba su nombre y el motivo de la llamada, veré si esta persona está disponible.`,
  'ivr en': `
Thank you for calling Lakewood Bank. For English, press one. Para español, oprima el dos.
Welcome to Audio World. Press one for sales, press two for support.
Thank you for calling. If you know your party's extension, please dial it now. Otherwise, to reach an operator, dial zero.
Your call is important to us. Please stay on the line and the next available agent will be with you.
Thanks for calling City Power. This call may be recorded for quality and training purposes.
Welcome to Harbor Airlines. In a few words, please tell me what you're calling about.
Hello and thank you for calling Green Pharmacy. If you are a doctor, press one now.
All of our agents are currently busy. Your estimated wait time is ten minutes.
To continue in English, press one. To repeat these choices, press nine.
You have reached the offices of Dewey and Howe, attorneys. For a directory, press the pound key.
Please enter your account number followed by the pound key.
Please listen carefully, as our menu has recently changed.
Good morning, welcome to Direct Insurance. Please say or enter your policy number.
If this is a medical emergency, please hang up and dial nine one one. To make an appointment, press one.
Transferring to our attendant. Please hold.`,
  'ivr de': `
Herzlich willkommen bei der Nordbank. Für Fragen zu Ihrem Konto drücken Sie bitte die Eins.
Willkommen bei der Telefon Gesellschaft. Wenn Sie schon Kunde sind, sagen Sie bitte ja.
Bitte haben Sie einen Moment Geduld, der nächste freie Mitarbeiter ist gleich für Sie da.
Für Deutsch drücken Sie die Eins.`,
  'ivr fr': `
Bienvenue au service clients. Pour une question sur votre facture, tapez un.
Tous nos conseillers sont actuellement en ligne. Veuillez patienter.
Pour être mis en relation avec un conseiller, appuyez sur la touche étoile.`,
  'ivr es': `
Gracias por llamar a Viajes del Sur. Para ventas, marque uno. Para reservas, marque dos.
Bienvenido al banco. Si desea información de su cuenta, pulse uno.
Todos nuestros agentes están ocupados. Permanezca en la línea.`,
};

/** All texts. Every second one of each kind is `held` out: nothing was tuned to it. */
export function answerTexts(held: boolean): AnswerText[] {
  return Object.entries(SAID).flatMap(([kind, lines]) => {
    const [who, language] = kind.split(' ') as ['human', Language];
    return lines
      .trim()
      .split('\n')
      .filter((_, i) => (i % 2 === 1) === held)
      .map((text) => ({ who, language, text }));
  });
}

/** Texts that were written before the model of first words, and kept from it. */
export function freshTexts(): AnswerText[] {
  const lines = readFileSync(new URL('answer-texts-fresh.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const [kind, text] = line.split('\t') as [string, string];
    const [who, language] = kind.split(' ') as ['human', Language];
    return { who, language, text };
  });
}
