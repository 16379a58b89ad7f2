import { mediaOf, type SendRequest } from './message-request.ts';

export interface PersonOptions {
  readonly name: string;
  /** Digits. */
  readonly phone: string;
  readonly username?: string;
  /** Those with a username may keep their number to themselves. */
  readonly hidesPhone?: boolean;
}

/** A message as its reader has it. */
export interface Arrived {
  readonly wamid: string;
  readonly request: SendRequest;
}

/** A person with WhatsApp. */
export class FakePerson {
  readonly name: string;
  readonly username: string | undefined;
  readonly hidesPhone: boolean;
  phone: string;
  userId: string;
  /** In milliseconds; null: they have never written. */
  lastWroteMs: number | null = null;
  /** When messages of the last while were taken, for the pair rate. */
  readonly takenAtMs: number[] = [];
  /** Everything that the business sent, in the order in which it was taken. */
  readonly arrived: Arrived[] = [];

  constructor({ name, phone, username, hidesPhone = false }: PersonOptions) {
    this.name = name;
    this.phone = phone;
    this.username = username;
    this.hidesPhone = hidesPhone;
    this.userId = `US.${phone}000${phone.length}`;
  }

  /** Of messages that have text or a caption, in order. */
  get texts(): string[] {
    return this.arrived.flatMap(({ request }) => {
      if (request.type === 'text') return [request.text.body];
      const caption = mediaOf(request)?.caption;
      return caption === undefined ? [] : [caption];
    });
  }

  /** The parameters of the templates that came. */
  get templates(): string[] {
    return this.arrived.flatMap(({ request }) =>
      request.type === 'template' ? [request.template.components?.[0]?.parameters[0]?.text ?? ''] : [],
    );
  }

  /** The person as webhooks name them. */
  contact(): object {
    return {
      profile: { name: this.name, ...(this.username ? { username: this.username } : {}) },
      user_id: this.userId,
      ...this.#phoneAs('wa_id'),
    };
  }

  sender(): object {
    return { from_user_id: this.userId, ...this.#phoneAs('from') };
  }

  recipient(): object {
    return { recipient_user_id: this.userId, ...this.#phoneAs('recipient_id') };
  }

  #phoneAs(name: string): object {
    return this.hidesPhone ? {} : { [name]: this.phone };
  }
}
