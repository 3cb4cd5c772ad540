/** What names of attributes and schemas are looked up by: they do not differ by case (RFC 7643 §2.1, RFC 7644 §3.10). ASCII. */
export const nameKey = (name: string): string => name.toLowerCase()
