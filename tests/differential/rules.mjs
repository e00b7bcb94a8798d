// rules.mjs — the rules of the vetting, stated once more over the reference implementation's tree:
// two statements of one rule disagree where one is wrong.   [tests]
// Source: docs/RUNBOOKS.md §What a runbook may hold.
import {expressionOf, keyOf} from './normal.mjs'

const blocks = new Set(`Command Check Inputs Template TemplateInline Admonition DirPicker GitClone
  Finish Iframe AwsAuth GoogleAuth GitAuth GitHubAuth GitLabAuth GitPullRequest GitHubPullRequest
  GitLabMergeRequest`.split(/\s+/))
const blocked = new Set(['script', 'iframe', 'frame', 'frameset', 'object', 'embed', 'webview'])

function scriptUrl(text) {
  return /^[\u0000-\u0020\ufffd]*j[\r\n\t]*a[\r\n\t]*v[\r\n\t]*a[\r\n\t]*s[\r\n\t]*c[\r\n\t]*r[\r\n\t]*i[\r\n\t]*p[\r\n\t]*t[\r\n\t]*:/i.test(text)
}

// 'proto', 'not-literal' or null: the first of them in the order of the source.
function finding(node) {
  if (!node) return 'not-literal'
  switch (node.type) {
    case 'Literal':
      return null
    case 'TemplateLiteral':
      return node.expressions.length > 0 ? 'not-literal' : null
    case 'UnaryExpression':
      return '+-'.includes(node.operator) && node.argument.type === 'Literal' &&
        typeof node.argument.value === 'number' ? null : 'not-literal'
    case 'ArrayExpression':
      return first(node.elements.map(item => () => finding(item)))
    case 'ObjectExpression':
      return first(node.properties.map(member => () => memberFinding(member)))
    default:
      return 'not-literal'
  }
}

function first(checks) {
  for (const check of checks) {
    const found = check()
    if (found) return found
  }
  return null
}

function memberFinding(member) {
  if (member.type !== 'Property' || member.kind !== 'init' || member.computed || member.shorthand ||
      member.method) return 'not-literal'
  return keyOf(member) === '__proto__' ? 'proto' : finding(member.value)
}

function urlsOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value]
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return [node.quasis[0].value.cooked]
  return node?.type === 'ArrayExpression' ? node.elements.flatMap(urlsOf) : []
}

function attributeConstruct(one, component) {
  if (one.type === 'mdxJsxExpressionAttribute') return 'spread'
  const name = one.name.toLowerCase()
  if (name === '__proto__') return 'proto'
  if (name === 'dangerouslysetinnerhtml' || name === 'srcdoc') return 'prop'
  if (!component && name.startsWith('on')) return 'prop'
  if (one.value === null || one.value === undefined) return null
  if (typeof one.value === 'string') return one.value.split(';').some(scriptUrl) ? 'url' : null
  const value = expressionOf(one.value.data)
  const found = finding(value)
  if (found) return found === 'proto' ? 'proto' : 'prop'
  return urlsOf(value).flatMap(text => text.split(';')).some(scriptUrl) ? 'url' : null
}

function nameConstruct(name, elements) {
  const lower = /^[a-z]/.test(name)
  if (lower && blocked.has(name.toLowerCase())) return 'element'
  if (name.includes('.')) return 'dotted'
  if (name.includes('-')) return 'custom'
  if (name.includes(':')) return 'namespaced'
  if (!lower) return blocks.has(name) ? null : 'unknown-block'
  return elements.has(name) ? null : 'element'
}

function expressionConstruct(node) {
  const body = node.data?.estree?.body
  if (body?.length === 0) return null
  const found = finding(expressionOf(node.data))
  return found && (found === 'proto' ? 'proto' : 'expression')
}

function refusalOf(node, elements) {
  const here = construct => construct && {construct, at: node.position.start}
  if (node.type === 'mdxjsEsm') return here('esm')
  if (node.type.endsWith('Expression')) return here(expressionConstruct(node))
  if (['link', 'image', 'definition'].includes(node.type)) return here(scriptUrl(node.url) ? 'url' : null)
  if (!node.type.startsWith('mdxJsx')) return null
  const name = node.name ?? ''
  const component = name !== '' && !/^[a-z]/.test(name)
  const named = name === '' ? null : nameConstruct(name, elements)
  if (named) return here(named)
  for (const one of node.attributes) {
    const construct = attributeConstruct(one, component)
    if (construct) return {construct, at: one.position.start}
  }
  return null
}

// {construct, at: {line, column}} of the first refused construct, or null.
export function firstRefusal(tree, elements) {
  const open = [tree]
  while (open.length > 0) {
    const node = open.pop()
    const refusal = refusalOf(node, elements)
    if (refusal) return refusal
    open.push(...(node.children ?? []).slice().reverse())
  }
  return null
}
