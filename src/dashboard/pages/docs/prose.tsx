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
