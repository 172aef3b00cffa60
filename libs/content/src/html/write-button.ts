import type { ButtonBlock } from '../block/block.js';
import { CLOSE_TABLE, openTable } from './layout-table.js';
import type { SegmentWriter } from '../template/segment-writer.js';
import { classOf, toneOf } from './render-context.js';
import type { RenderContext } from './render-context.js';
import { FONT, isDark } from './theme.js';

interface ButtonLook {
  cell: string;
  label: { color: string; name: string };
}

const lookOf = (button: ButtonBlock, around: RenderContext): ButtonLook => {
  const { outline, color, textColor } = button;
  const fill = color ?? toneOf(around, 'button').color;
  const themed = around.background === null && (color === null || (outline && isDark(color)));
  if (outline) {
    return {
      cell: `${classOf(themed ? 'bo' : '')} style="border:2px solid ${fill}`,
      label: { color: textColor ?? fill, name: themed && textColor === null ? 'hd' : '' },
    };
  }
  const label = color === null ? toneOf(around, 'buttonText').color : isDark(fill) ? '#ffffff' : '#111827';
  return {
    cell: ` bgcolor="${fill}"${classOf(themed ? 'bt bo' : '')} style="background-color:${fill};border:2px solid ${fill}`,
    label: { color: textColor ?? label, name: themed && textColor === null ? 'bl' : '' },
  };
};

/**
 * Outlook for Windows draws neither padding nor background on a link; there the cell's `mso-padding-alt` makes the
 * room, and elsewhere the whole link can be clicked.
 */
export const writeButton = (out: SegmentWriter, button: ButtonBlock, around: RenderContext): void => {
  const { cell, label } = lookOf(button, around);
  const padding = button.padding.map((size) => `${size}px`).join(' ');
  const corners = `border-radius:${button.radius}px`;
  out.put(
    openTable(' style="border-collapse:separate"', ` align="center"${cell};${corners};mso-padding-alt:${padding}"`),
    '<a href="',
    out.builder.href(button.target),
    `" target="_blank"${classOf(label.name)} style="display:inline-block;padding:${padding};font-family:${FONT};` +
      `font-size:16px;line-height:1.25;font-weight:600;color:${label.color};text-decoration:none;${corners};` +
      'mso-padding-alt:0">',
  );
  out.text(button.text, 'html').put('</a>', CLOSE_TABLE);
};
