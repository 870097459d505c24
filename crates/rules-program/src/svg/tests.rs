use super::*;

/// A drawing with these elements.
fn drawing(inside: &str) -> String {
    format!("<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 10 10\">{inside}</svg>")
}

#[test]
fn what_is_allowed_is_written_anew() {
    let text = "<?xml version='1.0'?><!-- of a game -->\n\
        <svg viewBox='0,0 10 5' width='100' font-size='.5'>\n\
        <g transform='translate(1,2) rotate(45)'><title>a &lt; b</title>\n\
        <path d='M 0 0 L1,1.50000001Q 2 2 1e1 -3 Z' fill='#Fa0' stroke=' none '/></g>\n\
        <text x='1' text-anchor='middle'>♚<tspan dx='1'><![CDATA[&]]></tspan></text></svg>";
    assert_eq!(
        clean_svg(text).expect("allowed"),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 5\" font-size=\"0.5\">\
         <g transform=\"translate(1 2) rotate(45)\"><title>a &#60; b</title>\
         <path d=\"M0 0L1 1.5Q2 2 10 -3Z\" fill=\"#Fa0\" stroke=\"none\"></path></g>\
         <text x=\"1\" text-anchor=\"middle\">&#9818;<tspan dx=\"1\">&#38;</tspan></text></svg>"
    );
    // It is a fixed point.
    let once = clean_svg(text).expect("allowed");
    assert_eq!(clean_svg(&once), Ok(once));
}

#[test]
fn the_error_says_where_and_what() {
    let error = clean_svg(&drawing("\n  <g>\n    <script>x</script></g>")).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`svg`, line 3, column 5, `script`: this element is not allowed; only these are: svg, g, \
         path, rect, circle, ellipse, line, polyline, polygon, text, tspan, title"
    );
    let error = clean_svg(&drawing("<rect x='1px'/>")).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "`svg`, line 1, column 67, `rect`: invalid `x` \"1px\": expected a number up to 1000000, \
         without a unit"
    );
}

#[test]
fn hostile_drawings_are_refused() {
    let bomb = "<!DOCTYPE svg [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>".to_owned();
    let nested = |count: usize| drawing(&("<g>".repeat(count) + &"</g>".repeat(count)));
    let mut hostile = vec![
        bomb.clone() + &drawing("<text>&b;</text>"),
        "<!DOCTYPE svg SYSTEM 'file:///etc/passwd'>".to_owned() + &drawing(""),
        "<?xml-stylesheet href='http://a.example/'?>".to_owned() + "<html/>",
        nested(DEEPEST),
        nested(9000),
        drawing(&"<g/>".repeat(10_000)),
        drawing(&" ".repeat(LONGEST_SVG)),
        drawing("<text>&nbsp;</text>"),
        drawing("<text>\u{202e}</text>"),
        drawing("<text>&#x202e;</text>"),
        drawing("plain text"),
        drawing("<?php echo ?>"),
        drawing("<svg viewBox='0 0 1 1'/>"),
        drawing("<script xmlns='http://www.w3.org/1999/xhtml'>alert(1)</script>"),
        drawing("<h:rect xmlns:h='http://www.w3.org/1999/xhtml'/>"),
        drawing("<a xmlns:xlink='http://www.w3.org/1999/xlink' xlink:href='javascript:alert(1)'/>"),
        drawing("<g xmlns:xlink='http://www.w3.org/1999/xlink' xlink:href='#a'/>"),
        "<svg/>".to_owned(),
        "<svg viewBox='0 0 1 1000'/>".to_owned(),
        "<svg viewBox='0 0 0 0'/>".to_owned(),
        "<svg viewBox='0 0 NaN 1'/>".to_owned(),
        "<svg viewBox='0 0 1 1'>".to_owned(),
        "<g viewBox='0 0 1 1'/>".to_owned(),
        String::new(),
    ];
    let elements = [
        "script",
        "foreignObject",
        "use",
        "image",
        "a",
        "animate",
        "set",
        "style",
        "filter",
        "iframe",
        "defs",
        "pattern",
        "SVG",
        "Script",
    ];
    hostile.extend(elements.map(|name| drawing(&format!("<{name}/>"))));
    let attributes = [
        "onload='alert(1)'",
        "onclick='alert(1)'",
        "href='#a'",
        "style='fill:url(http://a.example)'",
        "class='square'",
        "id='viewer'",
        "fill='url(#a)'",
        "fill='url(http://a.example/)'",
        "fill='red;background:url(a)'",
        "fill='#12'",
        "stroke='javascript:alert(1)'",
        "x='1e99'",
        "x='1e400'",
        "x='inf'",
        "x='NaN'",
        "x='calc(1)'",
        "width='100%'",
        "points='0 0 1e7 1'",
        "d='M0 0 url(a)'",
        "d='M0 0 &#34; onload=&#34;alert(1)'",
        "transform='rotate(1) url(a)'",
        "transform='rotate(expression(1))'",
        "transform='rotate(1'",
        "text-anchor='middle\" onload=\"alert(1)'",
        "clip-path='url(#a)'",
        "font-family='a'",
    ];
    hostile.extend(attributes.map(|attribute| drawing(&format!("<rect {attribute}/>"))));
    for text in hostile {
        let start: String = text.chars().take(200).collect();
        assert!(clean_svg(&text).is_err(), "{start}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_gets_more_than_the_list_allows(
        inside in "[<>/a-z='\" &;#:()!\\[\\]]{0,60}", value in "\\PC{0,20}",
    ) {
        for text in [drawing(&inside), drawing(&format!("<rect fill=\"{value}\"/>")), inside] {
            if let Ok(clean) = clean_svg(&text) {
                proptest::prop_assert!(clean.is_ascii() && !clean.contains("url("));
                proptest::prop_assert_eq!(super::clean_svg(&clean), Ok(clean.clone()));
            }
        }
    }
}
