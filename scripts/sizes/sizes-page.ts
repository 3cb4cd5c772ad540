import type { Size } from './size.ts'

/** `docs/reference/sizes.md`: the sizes, and why they grew, the newest first. */
export interface SizesPage {
  readonly sizes: readonly Size[]
  /** Lines of Markdown without their bullet. */
  readonly reasons: readonly string[]
}

/** Reads the page that `renderSizesPage` wrote; an empty text has nothing in it. */
export function parseSizesPage(text: string): SizesPage {
  const rows = text.matchAll(/^\| `([^`]+)` \| (\d+) \| (\d*) \|$/gm)
  const sizes = Array.from(rows, ([, subpath = '', bundled, packed]) => ({
    subpath,
    bundled: Number(bundled),
    packed: packed === '' ? undefined : Number(packed),
  }))
  return { sizes, reasons: Array.from(text.matchAll(/^- (.+)$/gm), ([, reason = '']) => reason) }
}

export function renderSizesPage({ sizes, reasons }: SizesPage): string {
  const rows = sizes.map(({ subpath, bundled, packed }) => `| \`${subpath}\` | ${bundled} | ${packed ?? ''} |`)
  return `${head}\n${rows.join('\n')}\n\n## Why they grew\n\n${reasons.map((reason) => `- ${reason}`).join('\n')}\n`
}

const head = `# Sizes

In bytes. *Bundled* is what one import adds to a server: all of its names with the packages that it brings along, in one file, minified and
gzipped; without Node's own modules and without peers such as Express, Kysely and pg. *Packed* is the tarball that npm downloads, with types
and source maps; it stands at the first import of each package.

\`npx -y pnpm@12.21.0 sizes\` writes this page. A number goes up only with a reason: \`sizes --because "…"\`. Without one,
\`package-check\` fails when it has grown by more than 3 % and 100 bytes.

| import | bundled | packed |
|---|---|---|`
