import { useState } from 'preact/hooks';
import { BASE } from '../dashboard/api/request.ts';
import { Source } from '../dashboard/parts/copy.tsx';
import type { Body } from '../dashboard/parts/field.ts';
import { Form } from '../dashboard/parts/form.tsx';
import { texts } from '../dashboard/texts.ts';
import { Fold } from './fold.tsx';
import { t } from './reference.texts.ts';
import { type Document, exampleOf, type Operation, type Schema, textOf } from './schema.ts';

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
  const { parameters = [], 'x-messages': messages } = operation;
  const query = {
    properties: Object.fromEntries(parameters.map(({ name, schema = {} }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  const shapes: readonly (readonly [title: string, schema: Schema | undefined])[] = [
    ...(parameters.length > 0 ? [[t.parameters, query] as const] : []),
    ...(body ? [[t.body, body] as const] : []),
    ...Object.entries(operation.responses).map(
      ([status, { description, content }]) =>
        [`${status} ${description}`, status < '400' ? content?.[JSON_TYPE]?.schema : undefined] as const,
    ),
  ];
  return (
    <>
      <Prose text={operation.description} />
      {shapes.map(([title, schema]) => {
        if (schema === undefined) return <Prose key={title} text={title} />;
        const shape = () => <Source text={textOf(document, schema)} label={title} />;
        return (
          <Fold key={title} title={title}>
            {shape}
          </Fold>
        );
      })}
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

/** Sends the request from here, as whoever is signed in or with the key. */
function TryIt(props: OperationProps & { readonly body: Schema | undefined }) {
  const { document, method, path, operation, apiKey, body } = props;
  const [answer, setAnswer] = useState('');
  const parameters = (operation.parameters ?? []).filter((each) => each.in !== 'header');
  const named = parameters.map(({ name, required = false }) => [name, { label: name, required }] as const);
  const fields = { ...Object.fromEntries(named), ...(body && { [BODY]: { label: t.body, rows: 8 } }) };
  const example = { [BODY]: body && JSON.stringify(exampleOf(document, body), null, 2) };
  const send = async ({ [BODY]: json, ...typed }: Body): Promise<void> => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`${typed[name]}`));
    const url = new URL(filled.slice(1), BASE);
    for (const { name, in: place } of parameters)
      if (place === 'query' && typed[name]) url.searchParams.set(name, `${typed[name]}`);
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: { ...(body && { 'Content-Type': JSON_TYPE }), ...(apiKey && { 'X-API-Key': apiKey }) },
      ...(json && { body: `${json}` }),
    });
    setAnswer(`${response.status} ${response.statusText}\n${pretty(await response.text())}`);
  };
  const submit = (typed: Body) => send(typed).catch(() => setAnswer(texts.noAnswer));
  return (
    <details>
      <summary>{t.tryIt}</summary>
      <Form fields={fields} stored={example} submit={submit} action={texts.send} />
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
  return text
    .split('\n')
    .map((line, at) => (
      <p key={at}>
        {line.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}
      </p>
    ));
}
