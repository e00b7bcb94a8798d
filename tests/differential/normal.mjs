// normal.mjs — a syntax tree of the reference implementation as a plain list of nodes.   [tests]
// A node: [depth, type, "line:column-line:column", {fields}], in document order. Columns are code
// points here, UTF-16 units there. A node without a place (made by a later transform) has "".
// Left out on both sides: what only says how something was written (kinds of references).

// As the product has it: a first line of three dashes, up to the next one. Blanked, not removed, so
// that places stay.
export function blankFrontMatter(text, dialect) {
  const marked = text.startsWith('\ufeff')
  const body = marked ? text.slice(1) : text
  if (marked && dialect === 'mdx') return text
  const found = /^---(\r\n|\r|\n)(?:[^\r\n]*(?:\r\n|\r|\n))*?---[ \t]*(?=[\r\n]|$)/.exec(body)
  return found ? found[0].replace(/[^\r\n]+/g, ' ') + body.slice(found[0].length) : text
}

export class Places {
  constructor(text) {
    this.text = text.replace(/^\ufeff/, '')
    this.starts = [0]
    for (const match of this.text.matchAll(/\r\n|\r|\n/g)) this.starts.push(match.index + match[0].length)
  }
  at({line, column}) {
    const begin = this.starts[line - 1]
    return {line, column: [...this.text.slice(begin, begin + column - 1)].length + 1}
  }
  point(place) {
    const {line, column} = this.at(place)
    return `${line}:${column}`
  }
  span(position) {
    return position ? `${this.point(position.start)}-${this.point(position.end)}` : ''
  }
}

// A lone half of a character can't be written in UTF-8; NUL is shown as U+FFFD.
export function whole(value) {
  return (value ?? '').replace(/\p{Cs}/gu, '\ufffd')
}

// [kind, value] of one literal of JavaScript; null for everything else.
export function literalOf(node) {
  if (!node) return null
  switch (node.type) {
    case 'Literal':
      if (node.regex) return ['regex', whole(node.raw)]
      if (node.bigint !== undefined && node.bigint !== null) return ['bigint', node.raw]
      if (typeof node.value === 'number') return ['number', node.raw]
      return [node.value === null ? 'null' : typeof node.value, whole(String(node.value))]
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? ['template', whole(node.quasis[0].value.cooked)] : null
    case 'UnaryExpression': {
      const of = literalOf(node.argument)
      return '+-'.includes(node.operator) && of?.[0] === 'number' && !/^[+-]/.test(of[1])
        ? ['number', node.operator + of[1]] : null
    }
    case 'ArrayExpression': {
      const items = node.elements.map(literalOf)
      return items.includes(null) ? null : ['array', items]
    }
    case 'ObjectExpression': {
      const members = node.properties.map(memberOf)
      return members.includes(null) ? null : ['object', members]
    }
    default:
      return null
  }
}

function memberOf(node) {
  if (node.type !== 'Property' || node.kind !== 'init' || node.computed || node.shorthand || node.method) return null
  const value = literalOf(node.value)
  return value && [keyOf(node), value]
}

// Names and texts as they read, numbers as written.
export function keyOf(node) {
  if (node.key.type === 'Identifier') return node.key.name
  return typeof node.key.value === 'string' ? whole(node.key.value) : node.key.raw
}

export function expressionOf(data) {
  const body = data?.estree?.body ?? []
  return body.length === 1 && body[0].type === 'ExpressionStatement' ? body[0].expression : null
}

// The product keeps identifiers as they are compared, in capitals.
function label(identifier) {
  return whole(identifier).toUpperCase()
}

// Indentation of continuation lines is judged by the literals; comments and blanks aren't.
function squeezed(source) {
  return whole(source).replace(/\s+/g, '')
}

function attribute(one, places) {
  const at = places.point(one.position.start)
  if (one.type === 'mdxJsxExpressionAttribute') return ['spread', '', squeezed(one.value), at]
  if (one.value === null || one.value === undefined) return ['bare', one.name, null, at]
  if (typeof one.value === 'string') return ['string', one.name, whole(one.value), at]
  const literal = literalOf(expressionOf(one.value.data))
  return ['expression', one.name, literal ?? squeezed(one.value.value), at]
}

const fieldsOf = {
  text: node => ({value: whole(node.value)}),
  inlineCode: node => ({value: whole(node.value).replace(/\r\n|\r|\n/g, ' ')}),
  html: node => ({value: whole(node.value)}),
  code: node => ({lang: whole(node.lang), meta: whole(node.meta), value: whole(node.value)}),
  heading: node => ({depth: node.depth}),
  list: node => ({ordered: node.ordered, start: node.ordered ? node.start : 0, spread: node.spread}),
  listItem: node => ({checked: node.checked ?? null, spread: node.spread}),
  link: node => ({url: whole(node.url), title: whole(node.title)}),
  image: node => ({url: whole(node.url), title: whole(node.title), alt: whole(node.alt)}),
  linkReference: node => ({label: whole(node.label), identifier: label(node.identifier)}),
  imageReference: node => ({label: whole(node.label), identifier: label(node.identifier), alt: whole(node.alt)}),
  definition: node => ({label: whole(node.label), identifier: label(node.identifier), url: whole(node.url), title: whole(node.title)}),
  footnoteReference: node => ({label: whole(node.label), identifier: label(node.identifier)}),
  footnoteDefinition: node => ({label: whole(node.label), identifier: label(node.identifier)}),
  mdxjsEsm: node => ({value: squeezed(node.value)})
}

function fields(node, places, align) {
  if (node.type.startsWith('mdxJsx')) {
    return {name: node.name ?? '', attributes: node.attributes.map(one => attribute(one, places))}
  }
  if (node.type.endsWith('Expression')) {
    const literal = literalOf(expressionOf(node.data))
    return literal ? {literal} : {value: squeezed(node.value)}
  }
  if (node.type === 'tableCell') return {align: align ?? null}
  return fieldsOf[node.type]?.(node) ?? {}
}

export function flatten(tree, text) {
  const places = new Places(text)
  const out = []
  const open = tree.children.map(node => ({node, depth: 1})).reverse()
  while (open.length > 0) {
    const {node, depth, align} = open.pop()
    out.push([depth, node.type, places.span(node.position), fields(node, places, align?.own)])
    const children = node.children ?? []
    for (let i = children.length - 1; i >= 0; --i) {
      const columns = node.type === 'table' ? node.align : align?.columns
      open.push({node: children[i], depth: depth + 1,
                 align: {columns, own: node.type === 'tableRow' ? columns?.[i] : undefined}})
    }
  }
  return out
}
