/**
 * As much of the Bot API's objects as is read here, in its own words (https://core.telegram.org/bots/api#available-types).
 * Everything that the platform may leave out, or add one day, is optional.
 */
export interface Update {
  readonly update_id: number;
  readonly message?: Message;
  readonly edited_message?: Message;
  readonly my_chat_member?: { readonly chat: Chat; readonly new_chat_member: { readonly status: string } };
}

export interface User {
  readonly id: number;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly username?: string;
}

export interface Chat extends User {
  /** `private`, `group`, `supergroup` or `channel`. */
  readonly type: string;
}

export interface Message {
  readonly message_id: number;
  /** Unix time in seconds. */
  readonly date: number;
  readonly chat: Chat;
  /** The same for all messages of one album. */
  readonly media_group_id?: string;
  readonly text?: string;
  readonly caption?: string;
  /** One picture in several sizes, the smallest first. */
  readonly photo?: readonly StoredFile[];
  readonly document?: StoredFile;
  readonly voice?: StoredFile;
  readonly audio?: StoredFile;
  readonly video?: StoredFile;
  readonly video_note?: StoredFile;
  /** Comes with `document` beside it, for programs that know no animations. */
  readonly animation?: StoredFile;
  readonly sticker?: StoredFile & {
    readonly emoji?: string;
    readonly is_animated?: boolean;
    readonly is_video?: boolean;
  };
  readonly contact?: { readonly phone_number: string } & Pick<User, 'first_name' | 'last_name'>;
  readonly location?: Place;
  readonly venue?: { readonly title: string; readonly address: string; readonly location: Place };
  readonly poll?: { readonly question: string };
  readonly dice?: { readonly emoji: string; readonly value: number };
}

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** What PhotoSize, Document, Voice and their like have in common. */
export interface StoredFile {
  /** Fetches the file, for this bot only. */
  readonly file_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  /** In bytes. */
  readonly file_size?: number;
}

/** What `getFile` answers with. */
export interface PreparedFile {
  /** Below `/file/bot<token>/`, for an hour at least. */
  readonly file_path?: string;
}
