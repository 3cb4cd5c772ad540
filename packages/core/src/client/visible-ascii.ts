/** Whether the text is 1 to 1024 characters of `VSCHAR`, %x20-7E (RFC 6749 Appendix A). */
export const isVisibleAscii = (text: string): boolean => /^[\x20-\x7E]{1,1024}$/.test(text)
