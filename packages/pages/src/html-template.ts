/** Where a hole of a template stands: between tags, within an attribute's double quotes, or inside a tag. */
export type HolePlace = 'text' | 'attribute' | 'tag'

/**
 * Follows the constant parts of a template through the small part of HTML that templates here are written in, and says
 * where each hole stands.
 * @throws TypeError for anything else: comments, unquoted or single-quoted values with holes, elements whose content is
 *   not markup, attributes whose value is code or an address, a template that ends within a tag.
 */
export function holePlaces(chunks: readonly string[]): readonly HolePlace[] {
  const places: HolePlace[] = []
  let place: HolePlace = 'text'
  for (const [at, chunk] of chunks.entries()) {
    place = follow(chunk, place)
    if (at === chunks.length - 1) break
    // Otherwise the hole would continue the name of a tag or of an attribute.
    if (place === 'tag' && !/\s$/.test(chunk)) throw mistake(chunk)
    places.push(place)
  }
  if (place !== 'text') throw new TypeError('A template ends within a tag.')
  return places
}

/** Whether an attribute's value is plain text; escaping does not make code, style or an address safe. */
export const isCarrierOfText = (name: string): boolean =>
  /^[a-z][a-z-]*$/i.test(name) && !carriesMoreThanText.test(name)

function follow(chunk: string, start: HolePlace): HolePlace {
  let place = start
  let rest = chunk
  while (rest !== '') {
    const step = steps[place].find(({ pattern }) => pattern.test(rest))
    const match = step?.pattern.exec(rest)
    if (step === undefined || match === undefined || match === null) throw mistake(rest)
    // The name of an attribute that a hole continues.
    if (match[1] !== undefined && !isCarrierOfText(match[1])) throw mistake(rest)
    place = step.to
    rest = rest.slice(match[0].length)
  }
  return place
}

const mistake = (markup: string): TypeError =>
  new TypeError(`A template cannot be escaped here: ${markup.slice(0, 40)}`)

const carriesMoreThanText = /^(?:on.*|style|srcdoc|srcset|src|href|action|formaction|data|http-equiv|xlink.*)$/i

// Every pattern takes at least one character, so `follow` comes to an end.
const steps: Readonly<Record<HolePlace, readonly { readonly pattern: RegExp; readonly to: HolePlace }[]>> = {
  text: [
    { pattern: /^[^<]+/, to: 'text' },
    { pattern: /^<!doctype/i, to: 'tag' },
    { pattern: /^<\/?(?!(?:script|style|textarea|xmp|iframe|no[a-z]*|plaintext)\b)[a-z][a-z0-9]*/i, to: 'tag' },
  ],
  tag: [
    { pattern: /^\s+/, to: 'tag' },
    { pattern: /^\/?>/, to: 'text' },
    { pattern: /^[a-z][a-z-]*(?:="[^"]*")?(?=[\s/>])/i, to: 'tag' },
    { pattern: /^([a-z][a-z-]*)="[^"]*$/i, to: 'attribute' },
  ],
  attribute: [
    { pattern: /^[^"]*"/, to: 'tag' },
    { pattern: /^[^"]+$/, to: 'attribute' },
  ],
}
