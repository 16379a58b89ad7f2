import { randomBytes } from 'node:crypto';
import { MessageFlags, PermissionFlagsBits } from 'discord-api-types/v10';
import type { StoredFile } from './cdn.ts';
import type { FakeBot } from './fake-bot.ts';
import { storedName } from './rest/uploads.ts';
import type { VoiceSession } from './voice-host.ts';
import type { FakeChannel } from './world/channel.ts';
import type { FakeGuild } from './world/guild.ts';
import { addMember, installBot, removeMember } from './world/membership.ts';
import type { FakeMessage } from './world/message.ts';
import { permissionsIn } from './world/permissions.ts';
import { type Draft, edit, press, react, refresh, remove, showTyping, tellAgain } from './world/posting.ts';
import { joinThread, startThread, write } from './world/threads.ts';
import type { FakeUser } from './world/user.ts';
import type { VoiceStates } from './world/voice-states.ts';
import type { World } from './world/world.ts';

/** A file that somebody sends. */
export interface SentFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

/** Where people write: a bot stands for the DM with it. */
export type Place = FakeBot | FakeChannel;

/** A person at Discord. */
export class FakePerson {
  readonly user: FakeUser;
  readonly #world: World;
  readonly #voice: VoiceStates;
  readonly #sessionId = randomBytes(16).toString('hex');

  constructor(user: FakeUser, world: World, voice: VoiceStates) {
    this.user = user;
    this.#world = world;
    this.#voice = voice;
  }

  get id(): string {
    return this.user.id;
  }

  /** The DM with a bot. */
  dm(bot: FakeBot): FakeChannel {
    return this.#world.dmOf(this.user, bot.user);
  }

  writes(place: Place, text: string, more: Draft = {}): FakeMessage {
    return this.#post(place, { content: text, ...more });
  }

  /** Writes a text that mentions the bot. */
  mentions(bot: FakeBot, channel: FakeChannel, text: string): FakeMessage {
    return this.writes(channel, `<@${bot.id}> ${text}`);
  }

  replies(to: FakeMessage, text: string): FakeMessage {
    return this.#post(this.#world.channels.get(to.channelId)!, { content: text, answers: to });
  }

  sendsFiles(place: Place, files: readonly SentFile[], caption = ''): FakeMessage {
    const channel = this.#channelOf(place);
    return this.#post(channel, { content: caption, files: files.map((file) => this.#keep(channel, file)) });
  }

  /** `waveform`: loudness over time, base64. */
  sendsVoiceMessage(place: Place, ogg: Buffer, durationS: number, waveform = 'AAAA'): FakeMessage {
    const channel = this.#channelOf(place);
    const file = { name: 'voice-message.ogg', mime: 'audio/ogg', bytes: ogg };
    const stored = this.#keep(channel, file, { durationS, waveform });
    return this.#post(channel, { files: [stored], flags: MessageFlags.IsVoiceMessage });
  }

  reacts(message: FakeMessage, emoji: string, isAdded: boolean): void {
    react(this.#world, message, this.user, { emoji, isAdded });
  }

  /** Presses a button below a message. */
  presses(message: FakeMessage, label: string): void {
    const rows = message.components as { components: { label: string; custom_id: string }[] }[];
    const button = rows.flatMap(({ components }) => components).find((each) => each.label === label);
    if (!button) throw new Error(`there is no button ${label}`);
    press(this.#world, message, this.user, button.custom_id);
  }

  edits(message: FakeMessage, text: string): void {
    edit(this.#world, this.#world.channels.get(message.channelId)!, message, { content: text });
  }

  /** A link in a message gets its preview, which changes the message but is no edit. */
  unfurls(message: FakeMessage): void {
    refresh(this.#world, message, { embeds: [{ title: 'A page', url: 'https://example.com/' }] });
  }

  deletes(message: FakeMessage): void {
    remove(this.#world, this.#world.channels.get(message.channelId)!, message);
  }

  /** Discord delivers a message again. */
  repeats(message: FakeMessage): void {
    tellAgain(this.#world, message);
  }

  types(place: Place): void {
    showTyping(this.#world, this.#channelOf(place), this.user);
  }

  startsThread(channel: FakeChannel, name: string, message?: FakeMessage): FakeChannel {
    return startThread(this.#world, { channel, name, owner: this.user, ...(message ? { message } : {}) });
  }

  joinsThread(thread: FakeChannel): void {
    joinThread(this.#world, thread, this.user);
  }

  /** What the bot has written in their DM, in its order. */
  received(bot: FakeBot): FakeMessage[] {
    return this.dm(bot).messages.filter(({ author }) => author === bot.user);
  }

  /** How often the bot has shown in their DM that it types. */
  typingShown(bot: FakeBot): number {
    return this.dm(bot).typingShown.get(bot.id) ?? 0;
  }

  blocks(bot: FakeBot): void {
    this.#world.blocks.add(`${this.id}/${bot.id}`);
  }

  unblocks(bot: FakeBot): void {
    this.#world.blocks.delete(`${this.id}/${bot.id}`);
  }

  /** Takes no DMs of members of a guild. */
  closesDms(guild: FakeGuild): void {
    this.#world.closedDms.add(`${this.id}/${guild.id}`);
  }

  opensDms(guild: FakeGuild): void {
    this.#world.closedDms.delete(`${this.id}/${guild.id}`);
  }

  /** Installs the application for themselves, so that they can write to it without a common guild. */
  installs(bot: FakeBot): void {
    bot.installedBy.add(this.id);
  }

  uninstalls(bot: FakeBot): void {
    bot.installedBy.delete(this.id);
  }

  /** Opens an install link, and adds the bot to a guild that they run, with what the link asks for. */
  addsBot(link: string, guild: FakeGuild): void {
    const { pathname, searchParams } = new URL(link);
    const bots = [...this.#world.bots.values()];
    const bot = bots.find(({ applicationId }) => applicationId === searchParams.get('client_id'));
    const scopes = searchParams.get('scope')?.split(/[ +]/) ?? [];
    if (pathname !== '/oauth2/authorize' || !bot || !scopes.includes('bot'))
      throw new Error(`no install link: ${link}`);
    const isManager = (permissionsIn(guild, this.id, null) & PermissionFlagsBits.ManageGuild) !== 0n;
    const isAllowed = isManager && (bot.isPublic || bot.owner === this.user);
    if (!isAllowed)
      throw new Error(`${this.user.username} may not add ${bot.user.username} to ${guild.name}`);
    installBot(this.#world, guild, bot, BigInt(searchParams.get('permissions') ?? 0));
  }

  joins(guild: FakeGuild): void {
    addMember(this.#world, guild, this.user);
  }

  leaves(guild: FakeGuild): void {
    this.#voice.leave(this.user, guild);
    removeMember(this.#world, guild, this.user);
  }

  /** Returns the session that the voice server expects. */
  joinsVoice(channel: FakeChannel): VoiceSession {
    if (!this.#voice.mayJoin(this.user, channel)) throw new Error(`${this.user.username} may not join`);
    const manners = { isMuted: false, isDeafened: false };
    return this.#voice.join(this.user, channel, manners, this.#sessionId)!;
  }

  leavesVoice(guild: FakeGuild): void {
    this.#voice.leave(this.user, guild);
  }

  #post(place: Place, draft: Draft): FakeMessage {
    const channel = this.#channelOf(place);
    if (!this.#canWriteIn(channel)) throw new Error(`${this.user.username} cannot write there`);
    return write(this.#world, channel, this.user, draft);
  }

  /** Old DMs stay open, but nobody begins one with somebody they share nothing with. */
  #canWriteIn(channel: FakeChannel): boolean {
    if (!channel.isDm) return this.#world.sees(this.user, channel);
    const bot = [...this.#world.bots.values()].find(({ user }) => channel.recipients.includes(user));
    if (!bot || channel.messages.length > 0 || bot.installedBy.has(this.id)) return true;
    return this.#world.mutualGuilds(this.user, bot.user).length > 0;
  }

  #channelOf(place: Place): FakeChannel {
    return 'token' in place ? this.dm(place) : place;
  }

  #keep(channel: FakeChannel, file: SentFile, voice?: StoredFile['voice']): StoredFile {
    const facts = { id: this.#world.newId(), channelId: channel.id, name: storedName(file.name) };
    return this.#world.cdn.keep({ ...file, ...facts, ...(voice ? { voice } : {}) });
  }
}
