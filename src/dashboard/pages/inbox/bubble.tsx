import type { Answers } from '../../api/answers.ts';
import { Moment } from '../../parts/moment.tsx';
import { State } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from '../inbox.texts.ts';
import type { Marks } from './marks.ts';

export type Message = Answers['GET /api/inbox/{conversation_id}']['messages'][number];

/** A message, with what it answers and what people have done to it. */
export function Bubble({ message, marks }: { readonly message: Message; readonly marks: Marks }) {
  const { sender, text, reply_to: answered, choices, choice, direction, status, error } = message;
  return (
    <li class={direction}>
      {sender && <strong class="small">{sender.name ?? sender.id}</strong>}
      {answered && (
        <blockquote class="quiet small">
          {answered.author && <strong>{answered.author}: </strong>}
          {answered.text || answered.attachments?.map(({ name }) => name).join(', ')}
        </blockquote>
      )}
      {text !== '' && <p>{text}</p>}
      {message.attachments.map((file) => (
        <File key={file.url} {...file} />
      ))}
      {choices && <p class="quiet small">{`${t.choices} ${choices.join(' · ')}`}</p>}
      {choice !== undefined && <p class="quiet small">{`${t.chosen} ${choice}`}</p>}
      <span class="quiet small row">
        <Moment iso={message.created_at} />
        {marks.isEdited && <span>{t.edited}</span>}
        {[...marks.reactions].map(([emoji, people]) => (
          <span key={emoji} title={people.join(', ')}>
            {emoji} {people.length > 1 && people.length}
          </span>
        ))}
        {direction === 'outbound' && <State of={status} detail={error} />}
      </span>
    </li>
  );
}

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Files are served from the gateway; of other origins, only their link is shown. */
function File({ name, mime, size, url }: Message['attachments'][number]) {
  const isOwn = new URL(url, location.href).origin === location.origin;
  const label = `${name}${size === null ? '' : ` · ${texts.bytes(size)}`}`;
  return (
    <a class="file" href={url} target="_blank" rel="noopener noreferrer" download={name}>
      {isOwn && IMAGE.test(mime) ? <img src={url} alt={name} loading="lazy" /> : label}
    </a>
  );
}
