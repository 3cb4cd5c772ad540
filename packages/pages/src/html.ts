/** Markup that is safe in a document. Its key is a symbol, so parsed JSON is never mistaken for a fragment. */
export interface Fragment {
  readonly [markup]: string
}

/** An attribute with its value, or an empty string. Templates insert it inside a tag. */
export interface Attribute {
  readonly [attributeMarkup]: string
}

type Text = string | number | undefined
type Value = Text | Fragment | Attribute | readonly Value[]

/**
 * Builds markup from a template. Each inserted value is escaped for its place: text, the value of a double-quoted attribute,
 * or (with `attribute()`) the inside of a tag. Arrays are joined; `undefined` renders nothing.
 * @throws TypeError when a placeholder is in a place where escaping cannot make it safe, or a value has a type that is not
 *   allowed in its place. Both are mistakes in the template.
 */
export function html(chunks: TemplateStringsArray, ...values: readonly Value[]): Fragment {
  const places = findPlaces(chunks)
  const parts = values.map((value, at) => renderValue(value, places[at]))
  return dangerouslyUnescaped(chunks.map((chunk, at) => chunk + (parts[at] ?? '')).join(''))
}

/** Renders an attribute that may be absent: `undefined` renders nothing, `true` an empty value. */
export function attribute(name: string, value: string | true | undefined): Attribute {
  if (!takesPlainText(name)) throw new TypeError(`Escaping does not make a value safe in the attribute ${name}.`)
  if (value === undefined) return { [attributeMarkup]: '' }
  return { [attributeMarkup]: `${name}="${value === true ? '' : escape(value)}"` }
}

/**
 * Renders the address of a form or a link. The server has verified the address; its scheme is http, https or the private-use
 * scheme of an app.
 * @throws TypeError for any other scheme, such as `javascript:`.
 */
export function address(name: 'action' | 'formaction' | 'href', url: string): Attribute {
  if (!isWebAddress(url) && !/^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/.test(url))
    throw new TypeError(`A page must not link to ${url}.`)
  return { [attributeMarkup]: `${name}="${escape(url)}"` }
}

/**
 * Renders an invisible frame, which loads a page of another site for its effect. Screen readers ignore it.
 * @throws TypeError unless the address is http or https.
 */
export function hiddenFrame(url: string): Fragment {
  if (!isWebAddress(url)) throw new TypeError(`A page must not load ${url} in a frame.`)
  return dangerouslyUnescaped(`<iframe src="${escape(url)}" hidden title="" aria-hidden="true" tabindex="-1"></iframe>`)
}

/**
 * Renders an image, with another source for the dark scheme.
 * @throws TypeError unless the sources are http or https addresses, or `data:` URIs of images.
 */
export function image(input: {
  readonly source: string
  readonly darkSource: string | undefined
  readonly alternative: string
}): Fragment {
  const { source, darkSource = source, alternative } = input
  for (const each of [source, darkSource]) {
    if (!isWebAddress(each) && !each.startsWith('data:image/'))
      throw new TypeError(`A page must not show the image ${each.slice(0, 80)}.`)
  }
  const plain = `<img src="${escape(source)}" alt="${escape(alternative)}">`
  if (darkSource === source) return dangerouslyUnescaped(plain)
  // Spaces and commas separate the candidates of a srcset.
  const candidate = escape(darkSource.replace(/[\s,]/g, encodeURIComponent))
  const media = '(prefers-color-scheme: dark)'
  return dangerouslyUnescaped(`<picture><source media="${media}" srcset="${candidate}">${plain}</picture>`)
}

/**
 * Renders the link to the icon of the page.
 * @throws TypeError unless the address is http or https, or a `data:` URI of an image.
 */
export function iconLink(source: string): Fragment {
  if (!isWebAddress(source) && !source.startsWith('data:image/'))
    throw new TypeError(`A page must not show the image ${source.slice(0, 80)}.`)
  return dangerouslyUnescaped(`<link rel="icon" href="${escape(source)}">`)
}

const isWebAddress = (url: string): boolean => /^https?:\/\//.test(url)

/** Takes a constant of this package as markup. Never pass it a value from outside. */
export const dangerouslyUnescaped = (constant: string): Fragment => ({ [markup]: constant })

/** Returns the markup as a string, which can be sent as UTF-8. */
export const toMarkup = (fragment: Fragment): string => fragment[markup]

function renderValue(value: Value, place: Place | undefined): string {
  switch (place) {
    case 'text':
      return renderText(value)
    case 'attribute':
      return renderAttributeValue(value)
    case 'tag':
      return renderInTag(value)
    case undefined:
      break
  }
  throw new TypeError('A template needs one placeholder for each value.')
}

function renderText(value: Value): string {
  if (isList(value)) return value.map(renderText).join('')
  if (typeof value === 'object' && markup in value) return value[markup]
  return renderAttributeValue(value)
}

function renderAttributeValue(value: Value): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  throw new TypeError('Only a string or a number can be inserted here.')
}

function renderInTag(value: Value): string {
  if (typeof value === 'object' && attributeMarkup in value) return value[attributeMarkup]
  throw new TypeError('Only an attribute() can be inserted inside a tag.')
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** Escapes for text and for both kinds of quotes, so that a placeholder is safe in each of these places. */
function escape(text: string): string {
  return text.replace(unsafeCharacter, (character) => replacements.get(character) ?? '\uFFFD')
}

// A parser drops or replaces NUL, and turns CR into LF. Half of a surrogate pair cannot be encoded in UTF-8.
const unsafeCharacter = /[&<>"'\0\r]|\p{Surrogate}/gu

const replacements: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['\r', '&#13;'],
])

const markup: unique symbol = Symbol('markup')
const attributeMarkup: unique symbol = Symbol('attribute markup')

/** The place of a placeholder in a template: between tags, between the double quotes of an attribute, or inside a tag. */
type Place = 'text' | 'attribute' | 'tag'

/**
 * Parses the constant parts of a template, and returns the place of each placeholder. Templates may use only a small part of
 * HTML.
 * @throws TypeError for anything else: comments, placeholders in unquoted or single-quoted values, elements whose content is
 *   not markup, placeholders in attributes whose value is code or an address, a template that ends inside a tag.
 */
function findPlaces(chunks: readonly string[]): readonly Place[] {
  const places: Place[] = []
  let place: Place = 'text'
  for (const [at, chunk] of chunks.entries()) {
    place = parseChunk(chunk, place)
    if (at === chunks.length - 1) break
    // Without a space before it, the placeholder would continue the name of a tag or of an attribute.
    if (place === 'tag' && !/\s$/.test(chunk)) throw unsafeTemplate(chunk)
    places.push(place)
  }
  if (place !== 'text') throw new TypeError('A template must not end inside a tag.')
  return places
}

/** Tells whether the value of an attribute is plain text. Escaping does not make code, style or an address safe. */
const takesPlainText = (name: string): boolean => /^[a-z][a-z-]*$/i.test(name) && !unsafeAttribute.test(name)

function parseChunk(chunk: string, start: Place): Place {
  let place = start
  let rest = chunk
  while (rest !== '') {
    const step = steps[place].find(({ pattern }) => pattern.test(rest))
    const match = step?.pattern.exec(rest)
    if (step === undefined || match === undefined || match === null) throw unsafeTemplate(rest)
    // A match has this group if the placeholder is in the value of an attribute.
    if (match[1] !== undefined && !takesPlainText(match[1])) throw unsafeTemplate(rest)
    place = step.to
    rest = rest.slice(match[0].length)
  }
  return place
}

const unsafeTemplate = (markup: string): TypeError =>
  new TypeError(`A template must not contain this, because values in it could be unsafe: ${markup.slice(0, 40)}`)

const unsafeAttribute = /^(?:on.*|style|srcdoc|srcset|src|href|action|formaction|data|http-equiv|xlink.*)$/i

// Every pattern consumes at least one character, so `parseChunk` terminates.
const steps: Readonly<Record<Place, readonly { readonly pattern: RegExp; readonly to: Place }[]>> = {
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
