import type { AnyJson } from '../../support/any-json.ts';
import type { Answer } from '../../support/gateway-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import type {
  MessengerUnderTest,
  PersonUnderTest,
  TestFile,
  WrittenMessage,
} from './messenger-under-test.ts';

const PAGE = 200;

/** A conversation between a person and the agent, as the agent sees it. What was said before is left out. */
export class Talk {
  readonly person: PersonUnderTest;
  readonly #subject: MessengerUnderTest;
  readonly #before: number;

  private constructor(subject: MessengerUnderTest, person: PersonUnderTest, before: number) {
    this.#subject = subject;
    this.person = person;
    this.#before = before;
  }

  /** With a person who may not have written yet. */
  static async with(subject: MessengerUnderTest): Promise<Talk> {
    const person = await subject.person();
    return new Talk(subject, person, (await allMessages(subject, person)).length);
  }

  /** With a person whom the agent can write to, because they have written. */
  static async begun(subject: MessengerUnderTest): Promise<Talk> {
    const talk = await Talk.with(subject);
    talk.person.writes('hello');
    await talk.waitForInbound(['hello']);
    return new Talk(subject, talk.person, (await allMessages(subject, talk.person)).length);
  }

  async conversation(): Promise<AnyJson> {
    return await conversationOf(this.#subject, this.person);
  }

  async messages(): Promise<AnyJson[]> {
    return (await allMessages(this.#subject, this.person)).slice(this.#before);
  }

  async inbound(): Promise<string[]> {
    const messages = await this.messages();
    return messages.filter(({ direction }) => direction === 'inbound').map(({ text }) => text);
  }

  /** Text and status of what the agent has written, in order. */
  async outbound(): Promise<[string, string][]> {
    const messages = await this.messages();
    return messages
      .filter(({ direction }) => direction === 'outbound')
      .map(({ text, status }) => [text, status]);
  }

  /** Waits until the person's last message is stored, and throws unless exactly these are, in this order. */
  async waitForInbound(texts: readonly string[]): Promise<void> {
    await this.becomes('what the person wrote', async () => (await this.inbound()).includes(texts.at(-1)!));
    const stored = await this.inbound();
    if (JSON.stringify(stored) !== JSON.stringify(texts))
      throw new Error(`stored ${JSON.stringify(stored)}, not ${JSON.stringify(texts)}`);
  }

  /** The person writes, and the gateway stores it. */
  async hears(text: string): Promise<WrittenMessage> {
    const written = this.person.writes(text);
    await this.becomes(`"${text}" to be stored`, async () => (await this.inbound()).includes(text));
    return written;
  }

  async send(text: string, files: readonly TestFile[] = [], more: object = {}): Promise<Answer> {
    const attachments = files.map(({ name, mime, bytes }) => ({
      name,
      mime,
      bytes_b64: bytes.toString('base64'),
    }));
    const { conversation_id } = await this.conversation();
    return await this.#subject.gateway.agentApi.post('/api/dm/chat', {
      platform: this.#subject.connector.platform,
      conversation_id,
      text,
      ...(files.length > 0 ? { attachments } : {}),
      ...more,
    });
  }

  /** Texts and captions that the person has received in this talk, in order. */
  read(): string[] {
    return this.person.received().flatMap(({ text }) => (text === '' ? [] : [text]));
  }

  async becomes<T>(
    what: string,
    condition: () => T | Promise<T>,
  ): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
    return await waitFor(what, condition, this.#subject.patienceMs);
  }
}

/** Undefined before the person has written. */
async function conversationOf(
  { gateway, connector }: MessengerUnderTest,
  { remoteId }: PersonUnderTest,
): Promise<AnyJson> {
  const query = new URLSearchParams({
    platform: connector.platform,
    peer: remoteId,
    limit: `${PAGE}`,
    status: 'all',
  });
  const { status, body } = await gateway.agentApi.get(`/api/inbox?${query}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`GET inbox: ${status} ${JSON.stringify(body)}`);
  return body.conversations[0];
}

async function allMessages(subject: MessengerUnderTest, person: PersonUnderTest): Promise<AnyJson[]> {
  return (await conversationOf(subject, person))?.messages ?? [];
}
