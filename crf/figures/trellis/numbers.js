// Numbers as the trellis writes them. −∞ comes as the string "-inf".

import { decimal } from "../shared/decimal.js";

export const number = (value) => (value === "-inf" ? -Infinity : Number(value));

const minus = (text) => text.replace("-", "−").replace("Infinity", "∞");

// A score: always with its sign, with as many decimals as it needs, two at most.
export function signed(score) {
  const text = Number.isFinite(score) ? String(Math.round(score * 100) / 100) : String(score);
  return (score > 0 && text !== "0" ? "+" : "") + decimal(minus(text === "-0" ? "0" : text));
}

// A sum of scores, with fixed decimals.
export function plain(value, digits) {
  if (!Number.isFinite(value)) return minus(String(value));
  const text = value.toFixed(digits);
  return decimal(minus(Number(text) === 0 ? text.replace("-", "") : text));
}

// exp of a score: three digits, or one decimal and a power of ten.
export function potential(log) {
  if (log === -Infinity) return "0";
  if (Math.abs(log) > 1e6) return `exp(${plain(log, 0)})`;
  const value = Math.exp(log);
  if (value >= 0.001 && value < 0.9995) return decimal(value.toFixed(3).slice(1));
  if (value >= 0.001 && value < 999.5) return decimal(value.toPrecision(3));
  const power = log / Math.LN10;
  const floor = Math.floor(power + 1e-9);
  const exponent = floor + Number(10 ** (power - floor) >= 9.95); // it would be rounded to 10.0
  const digits = [...String(exponent)].map((digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])).join("");
  return `${decimal((10 ** (power - exponent)).toFixed(1))}×10${digits}`;
}

// A score as a factor: "×2.72", "×1".
export const factor = (log) =>
  `×${potential(log)
    .replace(/([.,]\d*?)0+(?=$|×)/, "$1")
    .replace(/[.,](?=$|×)/, "")}`;

// A probability: ".74", "<.01", "1".
export function share(p) {
  if (p > 0 && p < 0.005) return decimal("<.01");
  if (p < 1 && p >= 0.995) return decimal(">.99");
  return p === 0 || p === 1 ? String(p) : decimal(p.toFixed(2).slice(1));
}

// What a hook carries: enough digits to compare with the core's.
export const exact = (value) =>
  Number.isFinite(value) ? Number(value.toPrecision(12)) : value === -Infinity ? "-inf" : "";

// What a reader types: "−1,5", "+2", "-inf", "−∞". NaN if it is no score.
export function typed(text) {
  const clean = text.trim().replace(/[−–]/g, "-").replace(",", ".").toLowerCase();
  if (/^-(inf|infinity|∞)$/.test(clean)) return -Infinity;
  return clean === "" ? Number.NaN : Number(clean.replace("∞", "x"));
}
