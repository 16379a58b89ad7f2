import type { FakeBot } from './fake-bot.ts';
import { FakeChat } from './fake-chat.ts';
import { FakeUser } from './fake-user.ts';
import { newChannelId, newDirectId, newGroupId } from './teams-ids.ts';

/** A team with its channels; the first one, General, has no name. */
export interface FakeTeam {
  readonly id: string;
  readonly name: string;
  readonly channels: FakeChat[];
}

/** The people, chats and teams in which one bot is. */
export class FakeWorld {
  readonly bot: FakeBot;
  readonly users: FakeUser[] = [];
  readonly chats = new Map<string, FakeChat>();
  readonly teams = new Map<string, FakeTeam>();
  /** Users who have the app. */
  readonly installed = new Set<FakeUser>();
  readonly #direct = new Map<FakeUser, FakeChat>();

  constructor(bot: FakeBot) {
    this.bot = bot;
  }

  addUser(name: string, tenantId: string): FakeUser {
    const user = new FakeUser(name, tenantId);
    this.users.push(user);
    return user;
  }

  /** Returns the person's chat with the bot. The same each time. */
  directChat(user: FakeUser): FakeChat {
    const known = this.#direct.get(user);
    if (known) return known;
    const chat = this.#keep(new FakeChat(newDirectId(), 'personal', { tenantId: user.tenantId }));
    chat.members.add(user);
    this.#direct.set(user, chat);
    return chat;
  }

  addGroup(name: string | null, members: readonly FakeUser[]): FakeChat {
    const tenantId = members[0]!.tenantId;
    const chat = this.#keep(new FakeChat(newGroupId(), 'groupChat', { tenantId, name }));
    for (const member of members) chat.members.add(member);
    return chat;
  }

  addTeam(name: string, tenantId: string): FakeTeam {
    const general = this.#keep(
      new FakeChat(newChannelId(), 'channel', { tenantId, name: null, teamId: 'itself' }),
    );
    const team = { id: general.id, name, channels: [] };
    this.teams.set(team.id, team);
    return team;
  }

  addChannel(team: FakeTeam, name: string, members: readonly FakeUser[]): FakeChat {
    const { tenantId } = members[0]!;
    const chat = this.#keep(new FakeChat(newChannelId(), 'channel', { tenantId, name, teamId: team.id }));
    for (const member of members) chat.members.add(member);
    team.channels.push(chat);
    return chat;
  }

  #keep(chat: FakeChat): FakeChat {
    this.chats.set(chat.id, chat);
    return chat;
  }
}
