//! Small IFC files.

use std::fmt::Write;

/// The records that every building has: units in mm, a project, a site, a building and two storeys.
const BASE: &str = "\
#1=IFCCARTESIANPOINT((0.,0.,0.));
#2=IFCAXIS2PLACEMENT3D(#1,$,$);
#3=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);
#4=IFCUNITASSIGNMENT((#3));
#5=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.0E-5,#2,$);
#6=IFCLOCALPLACEMENT($,#2);
#7=IFCPROJECT('0Project000000000000AA',$,'Tower',$,$,$,$,(#5),#4);
#8=IFCSITE('0Site00000000000000AAA',$,'Site',$,$,#6,$,$,.ELEMENT.,$,$,$,$,$);
#9=IFCBUILDING('0Building0000000000AAA',$,'House',$,$,#6,$,$,.ELEMENT.,$,$,$);
#10=IFCBUILDINGSTOREY('0Storey000000000000AAA',$,'Ground',$,$,#6,$,$,.ELEMENT.,0.);
#11=IFCDIRECTION((0.,0.,1.));
#12=IFCRELAGGREGATES('0Rel0000000000000000AA',$,$,$,#7,(#8));
#13=IFCRELAGGREGATES('0Rel0000000000000000AB',$,$,$,#8,(#9));
#14=IFCRELAGGREGATES('0Rel0000000000000000AC',$,$,$,#9,(#10));
";

/// Returns a file with records beside those that every building has.
pub fn file(records: &str) -> String {
    file_of("IFC4", &format!("{BASE}{records}"))
}

/// Returns a file of a schema with these records alone.
pub fn file_of(schema: &str, records: &str) -> String {
    format!(
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('a.ifc','2026-11-01',(''),(''),'','','');\n\
         FILE_SCHEMA(('{schema}'));\nENDSEC;\nDATA;\n{records}ENDSEC;\nEND-ISO-10303-21;\n"
    )
}

/// Returns the records of a box of an entity such as `IFCWALL`, whose numbers begin at `first`: the product
/// has the number `first + 7`. Lengths are in mm; the box stands on its place, about which it is centred.
pub fn block(first: u32, entity: &str, name: &str, at: [f64; 3], size: [f64; 3]) -> String {
    let [x, y, z] = at;
    let [a, b, c] = size;
    let id = |k: u32| first + k;
    let mut text = String::new();
    let (point, axes, place, profile) = (id(0), id(1), id(2), id(3));
    writeln!(text, "#{point}=IFCCARTESIANPOINT(({x:?},{y:?},{z:?}));").unwrap();
    writeln!(text, "#{axes}=IFCAXIS2PLACEMENT3D(#{point},$,$);").unwrap();
    writeln!(text, "#{place}=IFCLOCALPLACEMENT(#6,#{axes});").unwrap();
    writeln!(text, "#{profile}=IFCRECTANGLEPROFILEDEF(.AREA.,$,$,{a:?},{b:?});").unwrap();
    let (solid, shape, all, product) = (id(4), id(5), id(6), id(7));
    writeln!(text, "#{solid}=IFCEXTRUDEDAREASOLID(#{profile},#2,#11,{c:?});").unwrap();
    writeln!(text, "#{shape}=IFCSHAPEREPRESENTATION(#5,'Body','SweptSolid',(#{solid}));").unwrap();
    writeln!(text, "#{all}=IFCPRODUCTDEFINITIONSHAPE($,$,(#{shape}));").unwrap();
    let guid = format!("1Guid{first:017}");
    writeln!(text, "#{product}={entity}('{guid}',$,'{name}',$,$,#{place},#{all},$,$);").unwrap();
    text
}

/// Returns two walls in one storey: the first with a window's opening, and a chimney through both.
pub fn house() -> String {
    let text = [
        block(100, "IFCWALL", "North wall", [0.0, 0.0, 0.0], [4000.0, 200.0, 2500.0]),
        block(200, "IFCOPENINGELEMENT", "Hole", [0.0, 0.0, 1000.0], [1000.0, 400.0, 1000.0]),
        "#300=IFCRELVOIDSELEMENT('0Rel0000000000000000AD',$,$,$,#107,#207);\n".to_owned(),
        block(400, "IFCCOLUMN", "Chim\\X2\\00E9\\X0\\ney", [1800.0, 0.0, 0.0], [300.0, 300.0, 4000.0]),
        block(500, "IFCSPACE", "Room", [0.0, 2000.0, 0.0], [3000.0, 3000.0, 2500.0]),
        "#600=IFCRELCONTAINEDINSPATIALSTRUCTURE('0Rel0000000000000000AE',$,$,$,(#107,#407),#10);\n"
            .to_owned(),
        "#601=IFCMATERIAL('Brick',$,$);\n".to_owned(),
        "#602=IFCRELASSOCIATESMATERIAL('0Rel0000000000000000AF',$,$,$,(#107),#601);\n".to_owned(),
        "#603=IFCSYSTEM('0System000000000000AAA',$,'Heating',$,$);\n".to_owned(),
        "#604=IFCRELASSIGNSTOGROUP('0Rel0000000000000000AG',$,$,$,(#407),$,#603);\n".to_owned(),
        "#605=IFCPRESENTATIONLAYERASSIGNMENT('A-WALL',$,(#105),$);\n".to_owned(),
    ];
    file(&text.concat())
}
