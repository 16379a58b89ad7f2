/** The package's own declarations are not where TypeScript looks for them. */
declare module '@flasd/whatsapp-formatting' {
  const formatting: {
    /** Returns WhatsApp's marks as HTML. It escapes nothing. */
    format(text: string): string;
  };
  // biome-ignore lint/style/noDefaultExport: that is how CommonJS looks from here
  export default formatting;
}
