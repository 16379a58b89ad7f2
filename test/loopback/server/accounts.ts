import { randomBytes, randomUUID } from 'node:crypto';

/** A person or bot at the vendor. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'bot';
  /** Null: a bot. */
  readonly email: string | null;
}

/** Everybody at the vendor, and the tokens of its bots. The tokens of people come from its authorization server. */
export class Accounts {
  readonly #byId = new Map<string, Account>();
  readonly #botTokens = new Map<string, Account>();
  readonly #revoked = new Map<string, Account>();

  person(name: string): Account {
    return this.#add({ id: randomUUID(), name, kind: 'person', email: `${name.toLowerCase()}@example.com` });
  }

  bot(name: string): { readonly account: Account; readonly token: string } {
    const token = `lbk_${randomBytes(24).toString('base64url')}`;
    const account = this.#add({ id: randomUUID(), name, kind: 'bot', email: null });
    this.#botTokens.set(token, account);
    return { account, token };
  }

  find(id: string): Account | null {
    return this.#byId.get(id) ?? null;
  }

  withBotToken(token: string): Account | null {
    return this.#botTokens.get(token) ?? null;
  }

  /** Refuses the bot's token from now on. */
  revokeBot(id: string): void {
    for (const [token, bot] of this.#botTokens)
      if (bot.id === id) {
        this.#botTokens.delete(token);
        this.#revoked.set(token, bot);
      }
  }

  /** Takes the bot's token again. */
  restoreBot(id: string): void {
    for (const [token, bot] of this.#revoked) if (bot.id === id) this.#botTokens.set(token, bot);
  }

  #add(account: Account): Account {
    this.#byId.set(account.id, account);
    return account;
  }
}
