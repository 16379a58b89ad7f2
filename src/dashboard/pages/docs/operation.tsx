import { useState } from 'preact/hooks';
import { BASE } from '../../api/request.ts';
import { Source } from '../../parts/copy.tsx';
import type { Body } from '../../parts/field.ts';
import { Form } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { t } from '../docs.texts.ts';
import { type Document, exampleOf, type Operation, resolved, type Schema, typeText } from './document.ts';

const JSON_TYPE = 'application/json';
/** The field of the body: no parameter is called so. */
const BODY = ' body';

interface OperationProps {
  readonly document: Document;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** The key with which requests are tried; empty: the session. */
  readonly apiKey: string;
}

/** One endpoint: what it takes and answers, and a form to try it. */
export function OperationBody(props: OperationProps) {
  const { document, operation } = props;
  const body = operation.requestBody?.content[JSON_TYPE]?.schema;
  const parameters = operation.parameters ?? [];
  const messages = operation['x-messages'];
  return (
    <>
      <Prose text={operation.description} />
      {parameters.length > 0 && (
        <Fields
          title={t.parameters}
          document={document}
          schema={{
            properties: Object.fromEntries(parameters.map(({ name, schema = {} }) => [name, schema])),
            required: parameters.filter(({ required }) => required).map(({ name }) => name),
          }}
        />
      )}
      {body && <Fields title={t.body} document={document} schema={body} />}
      {Object.entries(operation.responses).map(([status, { description, content }]) => (
        <Fields
          key={status}
          title={`${status} ${description}`}
          document={document}
          schema={(status < '400' && content?.[JSON_TYPE]?.schema) || {}}
        />
      ))}
      {messages ? <Messages {...messages} /> : <TryIt {...props} body={body} />}
    </>
  );
}

/** Of a WebSocket, in both directions. */
function Messages(messages: NonNullable<Operation['x-messages']>) {
  const shown = (['sends', 'receives'] as const).filter((way) => messages[way].length > 0);
  return shown.map((way) => (
    <section key={way}>
      <h3>{t[way]}</h3>
      <Source text={messages[way].map((each) => JSON.stringify(each)).join('\n')} label={t[way]} />
    </section>
  ));
}

interface FieldsProps {
  readonly title: string;
  readonly document: Document;
  readonly schema: Schema;
}

/** The fields of an object, which are shown once it is opened: schemas may contain themselves. */
function Fields({ title, document, schema }: FieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const inner = innermost(document, schema);
  const { properties = {}, required = [] } = inner;
  const rows = Object.entries(properties);
  if (rows.length === 0) return <Prose text={title} />;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <ul class="rows fields">
          {rows.map(([name, property]) => (
            <li key={name}>
              <span>
                <code>{name}</code> <span class="quiet small">{typeText(property)}</span>{' '}
                {required.includes(name) && <strong class="small">{t.required}</strong>}
              </span>
              <Prose text={property.description ?? ''} />
              {innermost(document, property).properties && (
                <Fields title={typeText(property)} document={document} schema={property} />
              )}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** The object in a list, a map or a choice. */
function innermost(document: Document, schema: Schema): Schema {
  const found = resolved(document, schema);
  const { items, additionalProperties: others, anyOf = found.oneOf } = found;
  if (items) return innermost(document, items);
  if (typeof others === 'object') return innermost(document, others);
  return anyOf?.map((each) => innermost(document, each)).find(({ properties }) => properties) ?? found;
}

/** Sends the request from here, as whoever is signed in or with the key. */
function TryIt(props: OperationProps & { readonly body: Schema | undefined }) {
  const { document, method, path, operation, apiKey, body } = props;
  const [answer, setAnswer] = useState('');
  const parameters = (operation.parameters ?? []).filter((each) => each.in !== 'header');
  const named = parameters.map(({ name, required = false }) => [name, { label: name, required }] as const);
  const fields = {
    ...Object.fromEntries(named),
    ...(body && { [BODY]: { label: t.body, type: 'area', rows: 8 } }),
  };
  const example = { [BODY]: body && JSON.stringify(exampleOf(document, body), null, 2) };
  const send = async (typed: Body): Promise<void> => {
    const given = (name: string): string => `${typed[name] ?? ''}`;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given(name)));
    const url = new URL(filled.slice(1), BASE);
    for (const { name, in: place } of parameters)
      if (place === 'query' && given(name)) url.searchParams.set(name, given(name));
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        ...(body && { 'Content-Type': JSON_TYPE }),
        ...(apiKey && { 'X-API-Key': apiKey }),
      },
      ...(body && { body: given(BODY) }),
    });
    setAnswer(`${response.status} ${response.statusText}\n${pretty(await response.text())}`);
  };
  return (
    <details>
      <summary>{t.tryIt}</summary>
      <Form
        fields={fields}
        stored={example}
        submit={(typed) => send(typed).catch(() => setAnswer(texts.noAnswer))}
        action={texts.send}
      />
      <div aria-live="polite">{answer !== '' && <Source text={answer} label={t.answer} />}</div>
    </details>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A description of the API: paragraphs, with code in backticks. */
export function Prose({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <>
      {text.split('\n').map((line, at) => (
        <p key={at}>
          {line.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}
        </p>
      ))}
    </>
  );
}
