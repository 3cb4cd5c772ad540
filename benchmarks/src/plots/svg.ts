/** Bars that belong together, such as those of one workload. */
export interface BarGroup {
  readonly title: string
  readonly bars: readonly { readonly label: string; readonly value: number; readonly isOwn: boolean }[]
}

/** A line with its label at the end. */
export interface Line {
  readonly label: string
  /** In ascending order of `x`, which is positive. */
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

const width = 760

/** Longer bars are cut, with their value next to them. */
const maximum = 6

/** Draws groups of horizontal bars, from 0 to 6, and a vertical line at 1. */
export function barChart(title: string, groups: readonly BarGroup[]): string {
  const [left, rowHeight, scale] = [305, 20, 375 / maximum]
  const parts: string[] = []
  let y = 52
  for (const group of groups) {
    parts.push(text([16, y + 14], group.title, 'strong'))
    y += 24
    const floor = left + scale
    const bottom = y + group.bars.length * rowHeight
    for (const [index, { value, isOwn }] of group.bars.entries()) {
      const length = Math.min(value, maximum) * scale
      const top = y + index * rowHeight + 2
      parts.push(
        `<rect class="${isOwn ? 'own' : 'other'}" x="${left}" y="${top}" width="${length.toFixed(1)}" height="15"/>`,
      )
    }
    parts.push(rule([floor, y - 2], [floor, bottom], 'floor'))
    for (const { label, value } of group.bars) {
      const length = Math.min(value, maximum) * scale
      parts.push(
        text([left - 8, y + 14], label, 'end'),
        text([left + length + 6, y + 14], `${value > maximum ? '» ' : ''}${short(value)}`),
      )
      y += rowHeight
    }
    y += 14
  }
  return svg({ title, height: y }, parts)
}

/** Draws lines over a logarithmic horizontal axis. The vertical axis begins at 0. */
export function lineChart(title: string, lines: readonly Line[]): string {
  const [left, right, top, bottom] = [60, 560, 56, 330]
  const points = lines.flatMap((line) => line.points)
  const [first, last] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))]
  const highest = Math.max(1.5, ...points.map(({ y }) => y)) * 1.05
  const toX = (x: number): number =>
    first === last ? left : left + ((right - left) * Math.log(x / first)) / Math.log(last / first)
  const toY = (y: number): number => bottom - ((bottom - top) * y) / highest
  const levels = Array.from({ length: Math.floor(highest / 0.5) + 1 }, (_, index) => index / 2)
  const grid = levels.flatMap((level) => [
    rule([left, toY(level)], [right, toY(level)], level === 1 ? 'floor' : 'grid'),
    text([left - 8, toY(level) + 4], level.toFixed(1), 'end'),
  ])
  const axis = [...new Set(points.map(({ x }) => x))].map((x) =>
    text([toX(x), bottom + 20], x.toLocaleString('en-US'), 'middle'),
  )
  const heights = labelHeights(lines.map((line) => toY(line.points.at(-1)?.y ?? 0)))
  const drawn = lines.flatMap((line, index) => {
    const path = line.points.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ')
    const value = short(line.points.at(-1)?.y ?? 0)
    return [
      `<polyline class="line line${index % 5}" points="${path}"/>`,
      text([right + 8, (heights[index] ?? 0) + 4], `${line.label} ${value}`, `text${index % 5}`),
    ]
  })
  return svg({ title, height: bottom + 36 }, [...grid, ...axis, ...drawn])
}

/** Moves labels down until they do not overlap. */
function labelHeights(wanted: readonly number[]): readonly number[] {
  const heights = [...wanted]
  let above = -Infinity
  const fromTheTop = wanted.map((height, index) => ({ height, index })).toSorted((a, b) => a.height - b.height)
  for (const { height, index } of fromTheTop) {
    above = Math.max(height, above + 16)
    heights[index] = above
  }
  return heights
}

const short = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(2))

const rule = (from: readonly [number, number], to: readonly [number, number], className: string): string =>
  `<line class="${className}" x1="${from[0].toFixed(1)}" y1="${from[1].toFixed(1)}" x2="${to[0].toFixed(1)}" y2="${to[1].toFixed(1)}"/>`

const text = ([x, y]: readonly [number, number], content: string, className = ''): string =>
  `<text class="${className}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escapeXml(content)}</text>`

const escapeXml = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** The picture has its own background, so that it is readable on light and dark pages. */
const svg = (
  { title, height }: { readonly title: string; readonly height: number },
  parts: readonly string[],
): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>${style}</style>
<rect class="page" width="${width}" height="${height}"/>
${[text([16, 30], title, 'strong title'), ...parts].join('\n')}
</svg>
`

const lineColors = ['#0b6bcb', '#b3470b', '#13795b', '#8b3fc0', '#a8326b']
const darkLineColors = ['#6cb4ff', '#f0a06a', '#5cd0a4', '#cf9bf5', '#f08cb8']

const colors = (each: readonly string[]): string =>
  each.map((color, index) => `.line${index}{stroke:${color}}.text${index}{fill:${color}}`).join('')

const style = `text{font:13px system-ui,sans-serif;fill:#1f2328;stroke:#fff;stroke-width:3px;paint-order:stroke}.strong{font-weight:600}.title{font-size:15px}\
.end{text-anchor:end}.middle{text-anchor:middle}.page{fill:#fff}.own{fill:#0b6bcb}.other{fill:#8c959f}\
.floor{stroke:#1f2328;stroke-dasharray:4 3}.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2.5}${colors(lineColors)}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3;stroke:#0d1117}.page{fill:#0d1117}.own{fill:#6cb4ff}.other{fill:#7d8590}\
.floor{stroke:#e6edf3}.grid{stroke:#3d444d}${colors(darkLineColors)}}`
