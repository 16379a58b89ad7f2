import { useState } from 'preact/hooks';
import { BASE } from '../../api/request.ts';
import { Source } from '../../parts/copy.tsx';
import type { Body } from '../../parts/field.ts';
import { Form } from '../../parts/form.tsx';
import { Fold } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { t } from '../docs.texts.ts';
import { type Document, exampleOf, type Operation, type Schema, textOf } from './document.ts';

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
  const query = {
    properties: Object.fromEntries(parameters.map(({ name, schema = {} }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  return (
    <>
      <Prose text={operation.description} />
      {parameters.length > 0 && <Shape title={t.parameters} document={document} schema={query} />}
      {body && <Shape title={t.body} document={document} schema={body} />}
      {Object.entries(operation.responses).map(([status, { description, content }]) => {
        const schema = status < '400' ? content?.[JSON_TYPE]?.schema : undefined;
        const title = `${status} ${description}`;
        if (schema === undefined) return <Prose key={status} text={title} />;
        return <Shape key={status} title={title} document={document} schema={schema} />;
      })}
      {messages ? <Messages {...messages} /> : <TryIt {...props} body={body} />}
    </>
  );
}

interface ShapeProps {
  readonly title: string;
  readonly document: Document;
  readonly schema: Schema;
}

/** What is sent or answered. */
function Shape({ title, document, schema }: ShapeProps) {
  return <Fold title={title}>{() => <Source text={textOf(document, schema)} label={title} />}</Fold>;
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
