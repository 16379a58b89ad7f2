/** The bundler puts such a file beside the others; the import is its relative URL. */
declare module '*.worklet.js' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: so the bundler has it
  export default url;
}
declare module '*.css';
