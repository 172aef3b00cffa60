import { useEffect, useRef, useState } from 'react';

/** Bounds of the frame's height in pixels: what a mail reports must not make the page endless. */
const heights = { min: 120, max: 20_000 };

/** @param reported by the frame; no number for one that reports nonsense */
export const frameHeight = (reported: unknown): number =>
  typeof reported === 'number' && Number.isFinite(reported)
    ? Math.min(Math.max(Math.ceil(reported), heights.min), heights.max)
    : heights.min;

/** A dark scheme that the mail brings along shows in every scheme of the reader. */
const darkened = (html: string): string =>
  html.replace(/@media\s*\(\s*prefers-color-scheme\s*:\s*dark\s*\)/giu, '@media all');

/**
 * A mail in the sandboxed frame `/preview`, as high as it is. Links are reported and not followed.
 * @param isDark shows what the mail brings for a dark scheme
 */
export function MailFrame({
  html,
  title,
  isDark = false,
  onLink,
}: {
  html: string;
  title: string;
  isDark?: boolean;
  onLink?: (address: string) => void;
}) {
  const ref = useRef<HTMLIFrameElement>(null);
  const [port, setPort] = useState<MessagePort | null>(null);
  const [height, setHeight] = useState(400);
  const linkRef = useRef(onLink);
  useEffect(() => {
    linkRef.current = onLink;
  }, [onLink]);
  const connect = () => {
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }: MessageEvent<{ height?: unknown; link?: string; ready?: true }>) => {
      if (data.ready) setPort(channel.port1);
      if (data.height !== undefined) setHeight(frameHeight(data.height));
      if (data.link !== undefined) linkRef.current?.(data.link);
    };
    // The frame has an origin of its own, so that no other target can be named.
    ref.current?.contentWindow?.postMessage('', '*', [channel.port2]);
  };
  useEffect(() => () => port?.close(), [port]);
  useEffect(() => {
    port?.postMessage({ html: isDark ? darkened(html) : html });
  }, [port, html, isDark]);
  return (
    <iframe
      ref={ref}
      src="/preview"
      sandbox="allow-scripts"
      title={title}
      onLoad={connect}
      className="block w-full border-0"
      // Mail without colours of its own is black text, in every scheme of the reader.
      style={{ height, colorScheme: isDark ? 'dark' : 'light', ...(!isDark && { backgroundColor: 'white' }) }}
    />
  );
}
