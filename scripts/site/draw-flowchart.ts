import { parseFlowchart, rowsOf, type Flowchart, type FlowNode } from './flowchart.ts'

/** The picture that a fence of Mermaid describes; undefined for other code, and for pictures that are not flowcharts. */
export function pictureOf(fence: { readonly info: string; readonly content: string } | undefined): string | undefined {
  const chart = fence?.info.trim() === 'mermaid' ? parseFlowchart(fence.content) : undefined
  return chart && drawFlowchart(chart)
}

/** An SVG of a flowchart, in the colours of the text around it. */
function drawFlowchart(chart: Flowchart): string {
  const boxes = placed(rowsOf(chart))
  const height = Math.max(...[...boxes.values()].map(({ y }) => y)) + boxHeight + margin
  const label = chart.edges.map(([from, to]) => `${from} to ${to}`).join(', ')
  return [
    '<div class="flowchart">',
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}" xmlns="http://www.w3.org/2000/svg">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" /></marker></defs>',
    ...chart.edges.map(([from, to]) => arrow(boxes.get(from), boxes.get(to))),
    ...[...boxes.values()].map(drawnBox),
    '</svg></div>',
  ].join('')
}

interface Box extends FlowNode {
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Each row spread over the width. */
function placed(rows: readonly (readonly FlowNode[])[]): ReadonlyMap<string, Box> {
  const boxes = rows.flatMap((row, level) =>
    row.map((node, at) => ({
      ...node,
      width: Math.max(node.name.length * letter, (node.group ?? '').length * smallLetter) + 20,
      x: (width / row.length) * (at + 0.5),
      y: margin + level * rowHeight,
    })),
  )
  return new Map(boxes.map((box) => [box.name, box]))
}

function arrow(from: Box | undefined, to: Box | undefined): string {
  if (from === undefined || to === undefined) return ''
  const [start, end] = [from.y + boxHeight, to.y - 2]
  const bend = (end - start) / 2
  return `<path d="M${from.x} ${start}C${from.x} ${start + bend} ${to.x} ${end - bend} ${to.x} ${end}" marker-end="url(#arrow)" />`
}

const drawnBox = ({ name, group, x, y, width: boxWidth }: Box): string =>
  `<g><rect x="${x - boxWidth / 2}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" />` +
  `<text x="${x}" y="${y + (group === undefined ? 27 : 19)}">${name}</text>` +
  `${group === undefined ? '' : `<text class="group" x="${x}" y="${y + 34}">${group}</text>`}</g>`

const width = 720
const margin = 8
const boxHeight = 42
const rowHeight = 104
const letter = 7.9
const smallLetter = 6.2
